/**
 * Encodes the JSON of a Kubernetes object as a protobuf message, by its descriptor. Fields that no schema contains are omitted.
 */
import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isRecord } from '@tinkerbell/yaml/json';
import { shapeOf, type Fields } from './json-shapes.ts';

/** A value whose type differs from its field's type is omitted, because stored objects may be older than the schema. */
export function encodeMessage(desc: DescMessage, json: unknown): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  const fields = fieldsIn(desc, json);
  if (fields !== undefined) writeFields(writer, desc, fields);
  return writer.finish();
}

/** Returns the fields as they are on the wire, or undefined. */
function fieldsIn(desc: DescMessage, json: unknown): Fields | undefined {
  const shape = shapeOf(desc);
  if (shape !== undefined) return shape.write(json);
  return isRecord(json) ? json : undefined;
}

function writeFields(writer: BinaryWriter, desc: DescMessage, fields: Fields): void {
  for (const field of desc.fields) {
    const value = Object.hasOwn(fields, field.jsonName) ? fields[field.jsonName] : undefined;
    if (value !== undefined && value !== null) writeField(writer, field, value);
  }
}

function writeField(writer: BinaryWriter, field: DescField, value: unknown): void {
  switch (field.fieldKind) {
    case 'scalar':
      return writeScalar(writer, field.number, { type: field.scalar, value });
    case 'message':
      return writeMessage(writer, field.number, { message: field.message, value });
    case 'list':
      for (const item of Array.isArray(value) ? (value as readonly unknown[]) : []) {
        if (field.listKind === 'message')
          writeMessage(writer, field.number, { message: field.message, value: item });
        else if (field.listKind === 'scalar')
          writeScalar(writer, field.number, { type: field.scalar, value: item });
      }
      return;
    case 'map':
      if (typeof value === 'object' && value !== null) writeEntries(writer, field, value);
      return;
    default:
      throw new Error('enums are not supported here');
  }
}

function writeEntries(writer: BinaryWriter, field: DescField & { fieldKind: 'map' }, map: object): void {
  for (const [key, value] of Object.entries(map)) {
    writer.tag(field.number, WireType.LengthDelimited).fork();
    writeScalar(writer, 1, { type: ScalarType.STRING, value: key });
    if (field.mapKind === 'message') writeMessage(writer, 2, { message: field.message, value });
    else if (field.mapKind === 'scalar') writeScalar(writer, 2, { type: field.scalar, value });
    writer.join();
  }
}

function writeMessage(
  writer: BinaryWriter,
  number: number,
  { message, value }: { readonly message: DescMessage; readonly value: unknown },
): void {
  const fields = fieldsIn(message, value);
  if (fields === undefined) return;
  writer.tag(number, WireType.LengthDelimited).fork();
  writeFields(writer, message, fields);
  writer.join();
}

function writeScalar(
  writer: BinaryWriter,
  number: number,
  { type, value }: { readonly type: ScalarType; readonly value: unknown },
): void {
  switch (type) {
    case ScalarType.STRING:
      if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
      return;
    case ScalarType.BYTES:
      return writeBytes(writer, number, value);
    case ScalarType.BOOL:
      if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value);
      return;
    default:
      if (typeof value === 'number') writeNumber(writer, number, { type, value });
  }
}

function writeNumber(
  writer: BinaryWriter,
  number: number,
  { type, value }: { readonly type: ScalarType; readonly value: number },
): void {
  switch (type) {
    case ScalarType.INT32:
      if ((value | 0) === value) writer.tag(number, WireType.Varint).int32(value);
      return;
    case ScalarType.INT64:
      if (Number.isSafeInteger(value)) writer.tag(number, WireType.Varint).int64(value);
      return;
    case ScalarType.DOUBLE:
      writer.tag(number, WireType.Bit64).double(value);
      return;
    default:
      throw new Error(`a field of type ${type} is not supported here`);
  }
}

function writeBytes(writer: BinaryWriter, number: number, value: unknown): void {
  const bytes = typeof value === 'string' ? bytesOf(value) : undefined;
  if (bytes !== undefined) writer.tag(number, WireType.LengthDelimited).bytes(bytes);
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
