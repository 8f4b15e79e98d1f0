/** Reads the body of a request within one budget. */
import { decodeKubernetes, hasProtobuf } from '@tinkerbell/kube-protobuf';
import {
  readBodyBytes,
  readBodyJson,
  readBodyText,
  readJsonText,
  type BodyBudget,
  type HttpRequest,
  type ReadBody,
  type TextReader,
  type YamlRead,
} from '@tinkerbell/platform-contract';
import { yamlToJson } from '@tinkerbell/yaml';
import { PROTOBUF } from './accepted-form.ts';
import { ApiError, unread } from './api-error.ts';

/**
 * Limits of objects and patches. Kubernetes' API server reads 3 MiB, but etcd stores at most 1.5 MiB of them; a text with many escapes
 * is longer as JSON than in etcd. The largest definition in use (KubeVirt's, Argo CD's) has 40,000 values. None nests deeper than 60,
 * and no object in use has 500 fields. Objects become slow at a thousand.
 */
const OBJECT_BUDGET: BodyBudget = { bytes: 2 * 1024 * 1024, nodes: 50_000, depth: 100, keys: 1024 };
/** Limits of bodies that are not stored: reviews, deletion options, operations. The longest edit of an action is 20 kB. */
const QUESTION_BUDGET: BodyBudget = { bytes: 64 * 1024, nodes: 2000, depth: 20, keys: 500 };

/** A value in YAML takes 2.4 kB while it is read. kubectl and tink send JSON. */
const YAML_NODES_MAX = 20_000;

interface Readers {
  /** If undefined, YAML is parsed in this thread. */
  readonly texts?: TextReader;
}

/** The kind of the body, because protobuf may omit it and only some kinds support protobuf. */
export interface BodyType {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Reads the body as JSON from JSON, YAML or protobuf; undefined if there is none. Without a kind, protobuf is rejected. Rejects
 * with an ApiError.
 */
export function readBody(request: HttpRequest, readers: Readers, type?: BodyType): Promise<unknown> {
  return read(request, { ...readers, type }, OBJECT_BUDGET);
}

/** Like `readBody`, with smaller limits for bodies that are not objects. */
export function readQuestion(request: HttpRequest, readers: Readers, type?: BodyType): Promise<unknown> {
  return read(request, { ...readers, type }, QUESTION_BUDGET);
}

/**
 * Accepts only JSON and protobuf: everyone with a token may send a review, so it must cost very little. Rejects with an
 * ApiError.
 */
export async function readReview(request: HttpRequest, review: BodyType): Promise<unknown> {
  const type = mediaTypeOf(request);
  if (/yaml/.test(type))
    throw new ApiError('UnsupportedMediaType', `a review must be application/json, not ${type}`);
  return isBinary(type) ? readBinary(request, QUESTION_BUDGET, review) : readJsonQuestion(request);
}

/** Accepts only JSON, in the limits of a question. Rejects with an ApiError. */
export async function readJsonQuestion(request: HttpRequest): Promise<unknown> {
  return valueOf(await readBodyJson(request, QUESTION_BUDGET));
}

type YamlAnswer = YamlRead | ReturnType<typeof yamlToJson>;

async function read(
  request: HttpRequest,
  { texts, type }: Readers & { readonly type: BodyType | undefined },
  budget: BodyBudget,
): Promise<unknown> {
  if (isBinary(mediaTypeOf(request))) return readBinary(request, budget, type);
  if (!/yaml/.test(mediaTypeOf(request))) return valueOf(await readBodyJson(request, budget));
  const text = valueOf(await readBodyText(request, budget));
  if (text === '') return undefined;
  // JSON is also YAML, and clients of Kubernetes that declare YAML send JSON. Millions of blanks would take milliseconds.
  const asJson = /^\s{0,1000}\{/.test(text) ? await readJsonText(text, budget) : undefined;
  if (asJson !== undefined && (asJson.ok || asJson.status === 413)) return valueOf(asJson);
  const nodes = Math.min(budget.nodes, YAML_NODES_MAX);
  const limits = { ...budget, nodes, characters: budget.bytes };
  const answer = texts === undefined ? yamlToJson(text, limits) : await texts.yaml(text, limits);
  return valueOf(await readJsonText(jsonIn(answer), budget));
}

/** Clients that send CBOR fall back to JSON after 415. */
function isBinary(mediaType: string): boolean {
  return mediaType === PROTOBUF || /[/+]cbor(?:-seq)?$/.test(mediaType);
}

async function readBinary(
  request: HttpRequest,
  budget: BodyBudget,
  type: BodyType | undefined,
): Promise<unknown> {
  const isServed = type !== undefined && hasProtobuf(type.apiVersion, type.kind);
  if (!isServed || mediaTypeOf(request) !== PROTOBUF) throw unknownFormat(isServed);
  const bytes = valueOf(await readBodyBytes(request, budget));
  if (bytes.length === 0) return undefined;
  const read = decodeKubernetes(bytes, budget, type);
  if (!read.ok && read.reason === 'too-large')
    throw new ApiError('RequestEntityTooLarge', `the body has ${read.message}`);
  if (!read.ok)
    throw new ApiError('BadRequest', `the body is not protobuf of a ${type.kind}: ${read.message}`);
  if (read.value.kind !== type.kind)
    throw new ApiError('BadRequest', `the body is a ${read.value.kind}, but a ${type.kind} is expected here`);
  return read.value;
}

function unknownFormat(hasProtobuf: boolean): ApiError {
  const types = ['application/json', 'application/yaml', ...(hasProtobuf ? [PROTOBUF] : [])];
  const message = `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`;
  return new ApiError('UnsupportedMediaType', message);
}

/** Nearly every request has the type of the previous one, and is asked for it several times. */
let last = { header: '', type: '' };

/** Returns `application/json` for `application/json; charset=utf-8`. */
export function mediaTypeOf(request: HttpRequest): string {
  const header = request.headers.get('content-type') ?? '';
  if (header !== last.header) last = { header, type: header.split(';')[0]?.trim().toLowerCase() ?? '' };
  return last.type;
}

function valueOf<Value>(read: ReadBody<Value>): Value {
  if (read.ok) return read.value;
  throw new ApiError(read.status === 413 ? 'RequestEntityTooLarge' : 'BadRequest', read.message);
}

function jsonIn(answer: YamlAnswer): string {
  if (answer.ok) return answer.json;
  if ('reason' in answer && answer.reason !== 'invalid') throw unread(answer, 'the body is YAML');
  throw new ApiError('BadRequest', `the body is not YAML: ${answer.message}`);
}
