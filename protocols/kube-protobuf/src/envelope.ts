/** The protobuf envelope of Kubernetes objects: `k8s\0`, then runtime.Unknown with the type and the bytes of the object. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { decodeMessage, ProtobufError, ProtobufLimitError, type ProtobufLimits } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import { UnknownSchema, WatchEventSchema, type Unknown } from './gen/runtime/runtime_pb.ts';
import { messageFor } from './messages.ts';

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

export type DecodedObject =
  | { readonly ok: true; readonly value: Typed & Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: 'invalid' | 'too-large'; readonly message: string };

const PREFIX = Uint8Array.of(0x6b, 0x38, 0x73, 0);
/** `application/vnd.kubernetes.protobuf`, the content type of the contents. Most clients omit it. */
const CONTENT_TYPE = 'application/vnd.kubernetes.protobuf';
/** Fields of `metadata` and `items` in every list. */
const LIST_METADATA = 1;
const LIST_ITEMS = 2;

export function isKubernetesProtobuf(bytes: Uint8Array): boolean {
  return PREFIX.every((one, index) => bytes[index] === one);
}

/** Returns the JSON of an object. When the bytes do not specify its type, it has the type `expected`. Never throws. */
export function decodeKubernetes(bytes: Uint8Array, limits: ProtobufLimits, expected?: Typed): DecodedObject {
  try {
    return { ok: true, value: decoded(bytes, limits, expected) };
  } catch (thrown) {
    if (!(thrown instanceof ProtobufError || thrown instanceof ProtobufLimitError)) throw thrown;
    const reason = thrown instanceof ProtobufLimitError ? 'too-large' : 'invalid';
    return { ok: false, reason, message: thrown.message };
  }
}

function decoded(bytes: Uint8Array, limits: ProtobufLimits, expected: Typed | undefined) {
  const { typeMeta, raw } = unknownIn(bytes);
  const apiVersion = typeMeta?.apiVersion || (expected?.apiVersion ?? '');
  const kind = typeMeta?.kind || (expected?.kind ?? '');
  const message = messageFor(apiVersion, kind);
  if (message === undefined)
    throw new ProtobufError(
      `no kind ${JSON.stringify(kind)} of apiVersion ${JSON.stringify(apiVersion)} is served as protobuf; send JSON`,
    );
  return { apiVersion, kind, ...decodeMessage(message, raw, limits) };
}

function unknownIn(bytes: Uint8Array): Unknown {
  if (!isKubernetesProtobuf(bytes))
    throw new ProtobufError('it does not begin with the bytes 6b 38 73 00 ("k8s" and a zero)');
  const unknown = readUnknown(bytes.subarray(PREFIX.length));
  const { contentEncoding, contentType } = unknown;
  if (contentEncoding !== '')
    throw new ProtobufError(`contentEncoding: ${JSON.stringify(contentEncoding)} is not served; omit it`);
  if (contentType !== '' && contentType !== CONTENT_TYPE)
    throw new ProtobufError(`contentType: must be ${CONTENT_TYPE}, not ${JSON.stringify(contentType)}`);
  return unknown;
}

/** Fields that it does not know would be kept. */
const reading = { readUnknownFields: false };

function readUnknown(bytes: Uint8Array): Unknown {
  try {
    return fromBinary(UnknownSchema, bytes, reading);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ProtobufError(`runtime.Unknown: ${message}`);
  }
}

/** Returns undefined for an object of a kind that has no protobuf. */
export function encodeKubernetes(object: object): Uint8Array<ArrayBuffer> | undefined {
  if (!isTyped(object)) return undefined;
  const { apiVersion, kind } = object;
  const message = messageFor(apiVersion, kind);
  return message === undefined ? undefined : enveloped({ apiVersion, kind }, encodeMessage(message, object));
}

function isTyped(object: object): object is Typed {
  return (
    'apiVersion' in object &&
    typeof object.apiVersion === 'string' &&
    'kind' in object &&
    typeof object.kind === 'string'
  );
}

/** One item of a list, for `encodeListOf`. */
export function encodeListItem({ apiVersion, kind }: Typed, item: object): Uint8Array<ArrayBuffer> {
  const field = messageFor(apiVersion, kind)?.fields.find(({ number }) => number === LIST_ITEMS);
  if (field?.fieldKind !== 'list' || field.listKind !== 'message')
    throw new Error(`${apiVersion} ${kind} is not a list with a protobuf form`);
  return delimited(LIST_ITEMS, encodeMessage(field.message, item));
}

/** Encodes a list of items that are already encoded. */
export function encodeListOf(
  { apiVersion, kind }: Typed,
  metadata: object,
  items: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const field = messageFor(apiVersion, kind)?.fields.find(({ number }) => number === LIST_METADATA);
  if (field?.fieldKind !== 'message')
    throw new Error(`${apiVersion} ${kind} is not a list with a protobuf form`);
  return enveloped(
    { apiVersion, kind },
    joined([delimited(LIST_METADATA, encodeMessage(field.message, metadata)), ...items]),
  );
}

/** A meta.k8s.io/v1 WatchEvent, without the envelope, preceded by its length in four bytes. `object` has its own envelope. */
export function encodeWatchEvent(type: string, object: Uint8Array): Uint8Array<ArrayBuffer> {
  const event = toBinary(WatchEventSchema, create(WatchEventSchema, { type, object: { raw: object } }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, event.length);
  return joined([length, event]);
}

function enveloped(typeMeta: Typed, raw: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined([PREFIX, toBinary(UnknownSchema, create(UnknownSchema, { typeMeta, raw }))]);
}

function delimited(field: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
