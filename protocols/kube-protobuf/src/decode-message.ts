/**
 * Decodes a protobuf message directly to the JSON of Kubernetes, with limits. Fields that no schema contains are skipped. An
 * empty field that is not a pointer in Go is omitted, as in Go's own JSON.
 */
import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, getTextEncoding, WireType } from '@bufbuild/protobuf/wire';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { isRecord, JsonLimitError, parseJson, type JsonLimits } from '@tinkerbell/yaml/json';
import { shapeOf } from './json-shapes.ts';

/** The same limits as for JSON. `nodes` counts fields on the wire, of which a value may have several. */
export type ProtobufLimits = JsonLimits;

/** The bytes are not a valid message of this type. */
export class ProtobufError extends Error {}
/** The message exceeds a limit. */
export class ProtobufLimitError extends Error {}

type Json = Record<string, unknown>;

const { decodeUtf8 } = getTextEncoding();

/** Throws a ProtobufError or a ProtobufLimitError whose message names the field. */
export function decodeMessage(desc: DescMessage, bytes: Uint8Array, limits: ProtobufLimits): Json {
  const decoder = new Decoder(bytes, limits);
  try {
    return decoder.message(desc, bytes.length, {});
  } catch (thrown) {
    throw decoder.failure(thrown);
  }
}

class Decoder {
  readonly #reader: BinaryReader;
  readonly #limits: ProtobufLimits;
  readonly #path: string[] = [];
  /** The number of keys in each map. */
  readonly #keys = new WeakMap<Json, number>();
  #nodes = 0;
  #depth = 0;

  constructor(bytes: Uint8Array, limits: ProtobufLimits) {
    this.#reader = new BinaryReader(bytes);
    this.#limits = limits;
  }

  /** The thrown error, with the field and the byte. */
  failure(thrown: unknown): Error {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const field = this.#path.length === 0 ? '' : `${this.#path.join('.')}: `;
    if (thrown instanceof ProtobufLimitError || thrown instanceof JsonLimitError)
      return new ProtobufLimitError(`${field}${message}`);
    return new ProtobufError(`${field}${message}, at byte ${this.#reader.pos}`);
  }

  /** Reads up to `end` into `into`. */
  message(desc: DescMessage, end: number, into: Json): Json {
    this.#depth += 1;
    if (this.#depth > this.#limits.depth)
      throw new ProtobufLimitError(`more than ${this.#limits.depth} levels of messages`);
    const fields = fieldsOf(desc);
    while (this.#reader.pos < end) {
      const [number, wireType] = this.#reader.tag();
      this.#count();
      const field = fields.get(number);
      if (field === undefined) this.#reader.skip(wireType, number);
      else this.#field(field, wireType, into);
      this.#endBefore(end);
    }
    this.#depth -= 1;
    return into;
  }

  #field(field: DescField, wireType: WireType, into: Json): void {
    const name = field.jsonName;
    this.#path.push(name);
    switch (field.fieldKind) {
      case 'scalar':
        set(into, name, this.#scalar(field.scalar, wireType));
        if (field.presence === FeatureSet_FieldPresence.IMPLICIT && isEmpty(into[name])) delete into[name];
        break;
      case 'message':
        this.#embedded(field.message, wireType, { into, name });
        break;
      case 'list':
        this.#item(field, wireType, listIn(into, name));
        break;
      case 'map':
        this.#entry(field, wireType, recordIn(into, name));
        break;
      default:
        throw new Error('enums are not supported here');
    }
    this.#path.pop();
  }

  /** When a message occurs twice, the fields of both are merged, as protobuf specifies. */
  #embedded(
    message: DescMessage,
    wireType: WireType,
    { into, name }: { readonly into: Json; readonly name: string },
  ): void {
    const before = into[name];
    const isPart = shapeOf(message) === undefined && isRecord(before);
    const value = this.#delimited(message, wireType, isPart ? before : {});
    if (value === undefined) delete into[name];
    else set(into, name, value);
  }

  /** Reads a length and a message of that length. Returns undefined when it is absent in JSON. */
  #delimited(message: DescMessage, wireType: WireType, into: Json): unknown {
    const end = this.#lengthEnd(wireType);
    const fields = this.message(message, end, into);
    const shape = shapeOf(message);
    return shape === undefined ? fields : shape.read(fields, (text) => this.#json(text));
  }

  #json(text: string): unknown {
    const { nodes, depth, keys } = this.#limits;
    const left = { nodes: nodes - this.#nodes, depth: depth - this.#depth, keys };
    const value = parseJson(text, left);
    this.#nodes += valuesIn(value);
    return value;
  }

  #item(field: DescField & { fieldKind: 'list' }, wireType: WireType, list: unknown[]): void {
    if (field.listKind === 'message') {
      list.push(this.#delimited(field.message, wireType, {}) ?? null);
      return;
    }
    if (field.listKind === 'scalar') list.push(this.#scalar(field.scalar, wireType));
  }

  #entry(field: DescField & { fieldKind: 'map' }, wireType: WireType, record: Json): void {
    const end = this.#lengthEnd(wireType);
    let key = '';
    let value: unknown = field.mapKind === 'message' ? {} : '';
    while (this.#reader.pos < end) {
      const [number, type] = this.#reader.tag();
      this.#count();
      if (number === KEY) key = String(this.#scalar(ScalarType.STRING, type));
      else if (number !== VALUE) this.#reader.skip(type, number);
      else if (field.mapKind === 'message') value = this.#delimited(field.message, type, {});
      else if (field.mapKind === 'scalar') value = this.#scalar(field.scalar, type);
      this.#endBefore(end);
    }
    if (!Object.hasOwn(record, key)) this.#countKey(record);
    set(record, key, value);
  }

  #scalar(type: ScalarType, wireType: WireType): unknown {
    const reader = this.#reader;
    expect(wireType, wireTypes[type] ?? WireType.LengthDelimited);
    switch (type) {
      case ScalarType.STRING:
        return this.#text();
      case ScalarType.BYTES:
        return reader.bytes().toBase64();
      case ScalarType.BOOL:
        return reader.bool();
      case ScalarType.INT32:
        return reader.int32();
      case ScalarType.INT64:
        return Number(reader.int64());
      case ScalarType.DOUBLE:
        return finite(reader.double());
      default:
        throw new Error(`a field of type ${type} is not supported here`);
    }
  }

  #text(): string {
    const bytes = this.#reader.bytes();
    try {
      return decodeUtf8(bytes, true);
    } catch {
      throw new ProtobufError('is not UTF-8 text');
    }
  }

  /** Returns the end of the value whose length comes next. */
  #lengthEnd(wireType: WireType): number {
    expect(wireType, WireType.LengthDelimited);
    const length = this.#reader.uint32();
    const end = this.#reader.pos + length;
    if (end > this.#reader.len)
      throw new ProtobufError(`has a length of ${length} bytes and fewer that follow`);
    return end;
  }

  #endBefore(end: number): void {
    if (this.#reader.pos > end) throw new ProtobufError('is longer than the message that has it');
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > this.#limits.nodes)
      throw new ProtobufLimitError(`more than ${this.#limits.nodes} fields and items`);
  }

  #countKey(record: Json): void {
    const count = (this.#keys.get(record) ?? 0) + 1;
    this.#keys.set(record, count);
    if (count > this.#limits.keys) throw new ProtobufLimitError(`more than ${this.#limits.keys} keys`);
  }
}

/** The fields of the messages that are the entries of a map. */
const KEY = 1;
const VALUE = 2;

const wireTypes: Readonly<Partial<Record<ScalarType, WireType>>> = {
  [ScalarType.BOOL]: WireType.Varint,
  [ScalarType.INT32]: WireType.Varint,
  [ScalarType.INT64]: WireType.Varint,
  [ScalarType.DOUBLE]: WireType.Bit64,
};

const fieldMaps = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  let fields = fieldMaps.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.map((field) => [field.number, field]));
    fieldMaps.set(desc, fields);
  }
  return fields;
}

function expect(found: WireType, wanted: WireType): void {
  if (found !== wanted)
    throw new ProtobufError(`has wire type ${found}, and wire type ${wanted} is expected`);
}

/** JSON cannot represent other numbers. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ProtobufError('is not a finite number');
  return value;
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function listIn(into: Json, name: string): unknown[] {
  const before = into[name];
  if (Array.isArray(before)) return before;
  const list: unknown[] = [];
  into[name] = list;
  return list;
}

function recordIn(into: Json, name: string): Json {
  const before = into[name];
  if (isRecord(before)) return before;
  const record: Json = {};
  into[name] = record;
  return record;
}

/** A key named `__proto__` is an ordinary key, as for `JSON.parse`. */
function set(target: Json, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  else target[name] = value;
}

/** Returns the number of values in a value, including itself. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + valuesIn(one), 1);
}
