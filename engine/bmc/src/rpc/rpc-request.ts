/** The requests of bmclib's provider `rpc`: JSON with a method, signed with HMAC over the body and chosen headers. */
import { createHmac } from 'node:crypto';
import type { ProviderOptions } from '@tinkerbell/resources';
import { formatGoTime } from '@tinkerbell/template/go-time';

/** `spec.connection.providerOptions.rpc`, and the values of its Secrets. */
export interface RpcOptions extends NonNullable<ProviderOptions['rpc']> {
  /** By algorithm: `sha256`, `256`, `sha512` or `512`. */
  readonly hmacKeys: Readonly<Record<string, readonly string[]>>;
}

export interface RpcCall {
  /** As bmclib: nanoseconds since 1970. */
  readonly id: bigint;
  readonly host: string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Rufio's names (rufio/internal/controller, not bmclib's own). */
const TIMESTAMP_HEADER = 'X-Rufio-Timestamp';
const SIGNATURE_HEADER = 'X-Rufio-Signature';
/** Go's time.RFC3339. */
const RFC_3339 = '2006-01-02T15:04:05Z07:00';

const algorithms: Readonly<Record<string, { readonly hash: string; readonly short: string }>> = {
  sha256: { hash: 'sha256', short: '256' },
  '256': { hash: 'sha256', short: '256' },
  sha512: { hash: 'sha512', short: '512' },
  '512': { hash: 'sha512', short: '512' },
};

export interface RpcRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The names that the options give are used. (Upstream replaces them with its defaults, because it merges the options in the wrong
 * order.) Throws a SyntaxError when the custom payload is no JSON object.
 */
export function rpcRequest(call: RpcCall, options: RpcOptions, nowMs: number): RpcRequest {
  const { request = {}, experimental = {} } = options;
  const { customRequestPayload, dotPath } = experimental;
  const isEmbedded = customRequestPayload !== undefined && dotPath !== undefined && dotPath !== '';
  const plain = jsonOf(call);
  const body = isEmbedded ? embedded(plain, customRequestPayload, dotPath) : plain;
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.staticHeaders ?? {})) headers[name] = values.join(',');
  headers['Content-Type'] = request.httpContentType ?? 'application/json';
  const timestampHeader = request.timestampHeader ?? TIMESTAMP_HEADER;
  headers[timestampHeader] = formatGoTime(nowMs, request.timestampFormat ?? RFC_3339);
  return {
    method: request.httpMethod ?? 'POST',
    headers: { ...headers, ...signatures(body, headers, { ...options, timestampHeader }) },
    body,
  };
}

/** In the order of bmclib's fields. The id has more digits than a JavaScript number. */
function jsonOf({ id, host, method, params }: RpcCall): string {
  const rest = params === undefined ? '' : `,"params":${JSON.stringify(params)}`;
  return `{"id":${id},"host":${JSON.stringify(host)},"method":${JSON.stringify(method)}${rest}}`;
}

/** Replaces the value at `object.data.body` with the call. Missing objects on the way are created. */
function embedded(plain: string, payload: string, dotPath: string): string {
  const root: unknown = JSON.parse(payload);
  if (!isObject(root)) throw new SyntaxError('experimental.customRequestPayload must be a JSON object');
  const names = dotPath.split('.');
  let at = root;
  for (const name of names.slice(0, -1)) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    const object = isObject(next) ? next : {};
    Object.defineProperty(at, name, { value: object, enumerable: true, configurable: true, writable: true });
    at = object;
  }
  // As text, because the id must keep its digits.
  const mark = `\u0000${names.length}`;
  Object.defineProperty(at, names.at(-1) ?? '', {
    value: mark,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return JSON.stringify(root).replace(JSON.stringify(mark), () => plain);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One header for each algorithm, with a signature for each key. */
function signatures(
  body: string,
  headers: Readonly<Record<string, string>>,
  { hmacKeys, hmac = {}, signature = {}, timestampHeader }: RpcOptions & { readonly timestampHeader: string },
): Record<string, string> {
  const included = [...new Set(signature.includedPayloadHeaders ?? [timestampHeader])];
  const signed = body + included.map((name) => valueOf(headers, name)).join('');
  const found: Record<string, string[]> = {};
  for (const [name, keys] of Object.entries(hmacKeys)) {
    const algorithm = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
    if (algorithm === undefined) continue;
    const header = signature.headerName ?? SIGNATURE_HEADER;
    const full = signature.appendAlgoToHeaderDisabled === true ? header : `${header}-${algorithm.short}`;
    const texts = keys.map((key) => {
      const hex = createHmac(algorithm.hash, key).update(signed).digest('hex');
      return hmac.prefixSigDisabled === true ? hex : `${algorithm.hash}=${hex}`;
    });
    found[full] = [...(found[full] ?? []), ...texts];
  }
  return Object.fromEntries(Object.entries(found).map(([name, texts]) => [name, texts.join(',')]));
}

function valueOf(headers: Readonly<Record<string, string>>, name: string): string {
  const lower = name.toLowerCase();
  return Object.entries(headers).find(([one]) => one.toLowerCase() === lower)?.[1] ?? '';
}
