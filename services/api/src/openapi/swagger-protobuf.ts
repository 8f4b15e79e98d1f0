/**
 * The OpenAPI v2 document as protobuf, which `kubectl` before 1.27 requires: messages of gnostic's OpenAPIv2.proto. These few fields
 * are enough. The field numbers are from that file.
 */
import { isRecord } from '@tinkerbell/resources';
import type { Operation, SwaggerDocument, SwaggerSchema } from './openapi-v2.ts';

export const SWAGGER_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Yields after each definition. */
export function* swaggerProtobuf({
  info,
  paths,
  definitions,
}: SwaggerDocument): Generator<undefined, Uint8Array<ArrayBuffer>> {
  const schemas: Part[] = [];
  for (const [name, one] of Object.entries(definitions)) {
    schemas.push(message(1, named(name, schemaParts(one))));
    yield undefined;
  }
  return bytesOf(
    text(1, '2.0'),
    message(2, text(1, info.title), text(2, info.version)),
    message(8, ...Object.entries(paths).map(([path, item]) => message(2, named(path, pathItem(item))))),
    message(9, ...schemas),
  );
}

type Part = Uint8Array<ArrayBuffer>;
const encoder = new TextEncoder();

/** All named items have the same form: name, then value. */
function named(name: string, value: Part): Part {
  return bytesOf(text(1, name), field(2, value));
}

function pathItem({ patch }: Readonly<Record<string, Operation>>): Part {
  return patch === undefined ? bytesOf() : message(8, ...operationParts(patch));
}

function operationParts({ parameters, gvk }: Operation): Part[] {
  return [
    ...parameters.map((one) => {
      const query = bytesOf(text(2, one.in), text(3, one.description), text(4, one.name), text(6, one.type));
      return message(8, message(1, message(2, field(3, query))));
    }),
    extension(13, 'x-kubernetes-group-version-kind', gvk),
  ];
}

function schemaParts(schema: SwaggerSchema): Part {
  const parts: Part[] = [];
  const { properties, items, additionalProperties, required } = schema;
  for (const [keyword, number] of textKeywords) {
    const value = schema[keyword];
    if (typeof value === 'string' && value !== '') parts.push(text(number, value));
  }
  if (Array.isArray(required)) for (const name of required) parts.push(text(19, String(name)));
  if (isRecord(additionalProperties)) parts.push(message(21, field(1, schemaParts(additionalProperties))));
  if (typeof schema['type'] === 'string') parts.push(message(22, text(1, schema['type'])));
  if (isRecord(items)) parts.push(message(23, field(1, schemaParts(items))));
  if (isRecord(properties)) {
    const fields = Object.entries(properties).map(([name, one]) =>
      message(1, named(name, schemaParts(isRecord(one) ? one : {}))),
    );
    parts.push(message(25, ...fields));
  }
  for (const [name, value] of Object.entries(schema))
    if (name.startsWith('x-')) parts.push(extension(31, name, value));
  return bytesOf(...parts);
}

const textKeywords: readonly [keyword: string, number: number][] = [
  ['$ref', 1],
  ['format', 2],
  ['description', 4],
  ['pattern', 13],
];

/** A NamedAny whose value is YAML, which includes JSON. */
function extension(number: number, name: string, value: unknown): Part {
  return message(number, text(1, name), message(2, text(2, JSON.stringify(value))));
}

function text(number: number, value: string): Part {
  return field(number, encoder.encode(value));
}

function message(number: number, ...parts: readonly Part[]): Part {
  return field(number, bytesOf(...parts));
}

/** Wire type 2: tag, length, bytes. */
function field(number: number, bytes: Part): Part {
  return bytesOf(Uint8Array.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

function bytesOf(...parts: readonly Part[]): Part {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
