import { PlatformError, type HttpClientResponse } from '@tinkerbell/platform-contract';

/** An image that a source is about to send. */
export interface SourcedIso {
  readonly response: HttpClientResponse;
  readonly sizeBytes: number;
  /** Differs when the bytes differ. */
  readonly validator: string;
  /** The headers of a conditional request. Absent when the source sends no validator. */
  readonly condition?: Readonly<Record<string, string>>;
}

/** Rejects with a PlatformError, and cancels the response, when the source sends no image that can be served by ranges. */
export async function readIsoResponse(
  response: HttpClientResponse,
  url: string,
  nowMs: number,
): Promise<SourcedIso | 'unchanged'> {
  const problem = problemOf(response);
  if (problem !== undefined || response.status === 304) await response.body.cancel();
  if (problem !== undefined) throw sourceProblem(url, problem);
  if (response.status === 304) return 'unchanged';
  const sizeBytes = Number(response.headers.get('content-length'));
  const etag = response.headers.get('etag');
  const modified = response.headers.get('last-modified');
  if (etag !== null) return { response, sizeBytes, validator: etag, condition: { 'if-none-match': etag } };
  if (modified !== null)
    return { response, sizeBytes, validator: modified, condition: { 'if-modified-since': modified } };
  return { response, sizeBytes, validator: `fetched at ${nowMs}` };
}

function problemOf({ status, headers }: HttpClientResponse): string | undefined {
  if (status === 304) return undefined;
  if (status !== 200) return `it answered ${status}`;
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') return `it sends the image as ${encoding}, which does not support ranges`;
  const length = headers.get('content-length') ?? '';
  return /^[1-9]\d{0,14}$/.test(length) ? undefined : 'it does not state the size of the image';
}

export function sourceProblem(url: string, problem: string): PlatformError {
  return new PlatformError('unavailable', `cannot get ${shownUrl(url)}: ${problem}`);
}

/** Omits the password that a URL may contain, and the query, which may be as secret. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
