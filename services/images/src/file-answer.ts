import type { HttpRequest } from '@tinkerbell/platform-contract';
import { byteRangeOf, type ByteRange } from './byte-range.ts';
import { contentTypeOf } from './content-type.ts';
import { failedPrecondition, rangeApplies, validatorsOf } from './preconditions.ts';

export interface FileAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Absent: no body. */
  readonly range?: ByteRange;
}

/** Status, headers and bytes of a file for a request; the body aside, HEAD is answered the same. */
export function answerFor(
  request: HttpRequest['headers'],
  path: string,
  file: { readonly sizeBytes: number; readonly modifiedMs: number },
): FileAnswer {
  const validators = validatorsOf(file);
  const common = {
    etag: validators.etag,
    'last-modified': new Date(validators.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  };
  const failed = failedPrecondition(request, validators);
  if (failed !== undefined) return { status: failed, headers: common };

  const size = file.sizeBytes;
  const range = rangeApplies(request, validators) ? byteRangeOf(request.get('range'), size) : undefined;
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  }
  const headers = { ...common, 'content-type': contentTypeOf(path) };
  if (range !== undefined) {
    const { start, end } = range;
    const part = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': `${end - start + 1}` };
    return { status: 206, headers: { ...headers, ...part }, range };
  }
  const whole = { status: 200, headers: { ...headers, 'content-length': `${size}` } };
  return size === 0 ? whole : { ...whole, range: { start: 0, end: size - 1 } };
}
