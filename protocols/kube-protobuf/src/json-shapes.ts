/** Messages whose JSON is not an object with the same fields. Converts their JSON from and to the fields on the wire. */
import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { EXTENSIONS_PACKAGE, META_PACKAGE } from './messages.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface JsonShape {
  /** Returns the JSON of the fields, or undefined when it is absent in JSON. Throws an Error that names the fault. */
  readonly read: (fields: Fields, parse: (text: string) => unknown) => unknown;
  /** Returns the fields of the JSON, or undefined when it has none. */
  readonly write: (json: unknown) => Fields | undefined;
}

const secondsForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9})\d*)?(?:Z|[+-]\d\d:\d\d)$/i;
/** 0001-01-01 and 9999-12-31. RFC 3339 can represent a time only between them. */
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799;

/** Returns an RFC 3339 time with the given number of fraction digits. The zero time is omitted, as in Go. */
function timeShape(digits: 0 | 6): JsonShape {
  return {
    read({ seconds = 0, nanos = 0 }) {
      const [whole, rest] = [Number(seconds), Number(nanos)];
      if (whole === 0 && rest === 0) return undefined;
      if (!(whole >= SECONDS_MIN && whole <= SECONDS_MAX && rest >= 0 && rest < 1e9))
        throw new Error(`${whole} s and ${rest} ns is outside the years 1 to 9999`);
      const text = new Date(whole * 1000).toISOString().slice(0, 19);
      return digits === 0 ? `${text}Z` : `${text}.${String(Math.floor(rest / 1000)).padStart(6, '0')}Z`;
    },
    write(json) {
      const match = typeof json === 'string' ? secondsForm.exec(json) : null;
      const ms = match === null ? Number.NaN : Date.parse(match[0].replace(/\.\d+/, ''));
      if (match === null || Number.isNaN(ms)) return undefined;
      const nanos = digits === 0 ? 0 : Number((match[1] ?? '').padEnd(9, '0'));
      return { seconds: ms / 1000, nanos };
    },
  };
}

/** JSON text in bytes. */
function jsonShape(field: string): JsonShape {
  const { encodeUtf8, decodeUtf8 } = getTextEncoding();
  return {
    read(fields, parse) {
      const bytes = fields[field];
      return typeof bytes === 'string' && bytes !== ''
        ? parse(decodeUtf8(Uint8Array.fromBase64(bytes), true))
        : undefined;
    },
    write: (json) => ({ [field]: encodeUtf8(JSON.stringify(json)).toBase64() }),
  };
}

const items: JsonShape = {
  read: ({ items: list = [] }) => list,
  write: (json) => ({ items: json }),
};

const schemaOrArray: JsonShape = {
  read: ({ schema, jSONSchemas }) => schema ?? jSONSchemas ?? {},
  write: (json) => (Array.isArray(json) ? { jSONSchemas: json as unknown[] } : { schema: json }),
};

const schemaOrBool: JsonShape = {
  read: ({ schema, allows = false }) => schema ?? allows,
  // Go sets `allows` when there is a schema.
  write: (json) => (typeof json === 'boolean' ? { allows: json } : { allows: true, schema: json }),
};

const schemaOrTexts: JsonShape = {
  read: ({ schema, property = [] }) => schema ?? property,
  write: (json) => (Array.isArray(json) ? { property: json as unknown[] } : { schema: json }),
};

const shapes: ReadonlyMap<string, JsonShape> = new Map([
  [`${META_PACKAGE}.Time`, timeShape(0)],
  [`${META_PACKAGE}.MicroTime`, timeShape(6)],
  [`${META_PACKAGE}.FieldsV1`, jsonShape('Raw')],
  [`${EXTENSIONS_PACKAGE}.JSON`, jsonShape('raw')],
  [`${EXTENSIONS_PACKAGE}.JSONSchemaPropsOrArray`, schemaOrArray],
  [`${EXTENSIONS_PACKAGE}.JSONSchemaPropsOrBool`, schemaOrBool],
  [`${EXTENSIONS_PACKAGE}.JSONSchemaPropsOrStringArray`, schemaOrTexts],
  ['k8s.io.api.authentication.v1.ExtraValue', items],
  ['k8s.io.api.authentication.v1.AttestationValue', items],
  ['k8s.io.api.authorization.v1.ExtraValue', items],
]);

/** Returns undefined for a message whose JSON is an object with the same fields. */
export function shapeOf({ typeName }: { readonly typeName: string }): JsonShape | undefined {
  return shapes.get(typeName);
}
