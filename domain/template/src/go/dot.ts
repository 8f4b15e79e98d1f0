import {
  boolValue,
  fromJson,
  type GoType,
  intValue,
  listValue,
  mapValue,
  pointerValue,
  stringValue,
  structValue,
  type StructType,
  type Value,
  zeroValue,
} from '@tinkerbell/go-template';
import { INTERFACES, METADATA, TEMPLATE_HARDWARE } from '../hardware-structs.ts';
import { omitEmpty } from './omit-empty.ts';

/** JSON objects as they come from the API. Only known fields are read. */
export type JsonObject = { readonly [key: string]: unknown };

/**
 * Returns the dot of a workflow template: the hardwareMap's keys, `.hardware` as JSON (numbers are float64),
 * `.Hardware` as Go structs, and `.references` when given, which has whole objects by their names in the
 * Hardware. These take precedence over hardwareMap keys of the same names.
 */
export function templateData(
  hardware: object | undefined,
  hardwareMap: Readonly<Record<string, string>>,
  references?: JsonObject,
): Value {
  const values = new Map<string, Value>();
  for (const [key, value] of Object.entries(hardwareMap)) values.set(key, stringValue(value));
  values.set('hardware', fromJson(withFixedParts(asObject(hardware))));
  values.set('Hardware', hardwareStruct(hardware));
  if (references !== undefined) values.set('references', fromJson(references));
  return mapValue(values);
}

/** Returns what a customboot action and a workflow template see as `.Hardware`. */
export function hardwareStruct(hardware: object | undefined): Value {
  const spec = asObject(asObject(hardware)['spec']);
  const disks = asArray(spec['disks']).map((disk) => asObject(disk)['device'] ?? '');
  return decode(TEMPLATE_HARDWARE, {
    Disks: disks.length > 0 ? disks : undefined,
    Interfaces: spec['interfaces'],
    UserData: spec['userData'],
    Metadata: spec['metadata'],
    VendorData: spec['vendorData'],
  });
}

/** These parts of the Go object are not pointers, so its JSON always has them. */
function withFixedParts(hardware: JsonObject): JsonObject {
  return {
    ...hardware,
    metadata: { creationTimestamp: null, ...asObject(hardware['metadata']) },
    spec: { auto: {}, ...withoutEmpty(asObject(hardware['spec'])) },
    status: asObject(hardware['status']),
  };
}

/** Returns interfaces and metadata without empty fields, like the JSON of the Go object. */
function withoutEmpty(spec: JsonObject): JsonObject {
  const parts = { interfaces: INTERFACES, metadata: METADATA };
  const cleaned = Object.entries(parts)
    .filter(([name]) => spec[name] !== undefined)
    .map(([name, type]) => [name, omitEmpty(type, spec[name])] as const);
  return { ...spec, ...Object.fromEntries(cleaned) };
}

/** Decodes JSON into a Go type as encoding/json does. A value that does not fit stays at its zero value. */
function decode(type: GoType, json: unknown): Value {
  if (json === null || json === undefined) return zeroValue(type);
  switch (type.kind) {
    case 'string':
      return typeof json === 'string' ? stringValue(json.toWellFormed()) : zeroValue(type);
    case 'bool':
      return boolValue(json === true);
    case 'int64':
      return Number.isSafeInteger(json) ? intValue(Number(json), 'int64') : zeroValue(type);
    case 'pointer':
      return pointerValue(type, decode(type.element, json));
    case 'slice':
      return Array.isArray(json)
        ? listValue(
            json.map((item) => decode(type.element, item)),
            type,
          )
        : zeroValue(type);
    case 'struct':
      return decodeStruct(type, asObject(json));
    default:
      return zeroValue(type);
  }
}

function decodeStruct(type: StructType, json: JsonObject): Value {
  const fields = type.fields.map((field) => {
    const name = field.jsonName ?? field.name;
    return [field.name, decode(field.type, Object.hasOwn(json, name) ? json[name] : undefined)] as const;
  });
  return structValue(type, Object.fromEntries(fields));
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
