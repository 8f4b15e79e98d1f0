import type { HttpRequest } from '@tinkerbell/platform-contract';
import type { ByteRange } from './byte-range.ts';
import { byteRangesOf } from './byte-ranges.ts';
import { multipartOf, type Multipart } from './multipart.ts';
import { failedPrecondition, rangeApplies } from './preconditions.ts';

export interface FileAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Absent: no body, or one of several parts. */
  readonly range?: ByteRange;
  readonly multipart?: Multipart;
}

/** What a client may know about a file. */
export interface DescribedFile {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Strong: two contents never share it. With its quotes. */
  readonly etag: string;
  readonly contentType: string;
  /** For example `gzip`. */
  readonly contentEncoding?: string;
  /** Additional headers of every answer, for example `vary`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns status, headers and bytes of a file for a request. HEAD gets the same answer without the body. */
export function answerFor(request: HttpRequest['headers'], file: DescribedFile): FileAnswer {
  const { etag, contentType, sizeBytes: size } = file;
  const validators = { etag, modifiedMs: Math.floor(file.modifiedMs) };
  const common = {
    etag,
    'last-modified': new Date(validators.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    ...file.headers,
  };
  const failed = failedPrecondition(request, validators);
  if (failed !== undefined) return { status: failed, headers: common };

  const ranges = rangeApplies(request, validators) ? byteRangesOf(request.get('range'), size) : undefined;
  if (ranges === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  }
  const encoded =
    file.contentEncoding === undefined ? common : { ...common, 'content-encoding': file.contentEncoding };
  const headers = { ...encoded, 'content-type': contentType };
  if (ranges !== undefined) {
    const multipart = multipartOf(ranges, { sizeBytes: size, contentType, etag });
    return partialAnswer(headers, multipart, size);
  }
  const whole = { status: 200, headers: { ...headers, 'content-length': `${size}` } };
  return size === 0 ? whole : { ...whole, range: { start: 0, end: size - 1 } };
}

/** A single range is the whole body. */
function partialAnswer(headers: FileAnswer['headers'], multipart: Multipart, size: number): FileAnswer {
  const [range, second] = multipart.ranges;
  if (range === undefined || second !== undefined) {
    const { contentType, lengthBytes } = multipart;
    const several = { 'content-type': contentType, 'content-length': `${lengthBytes}` };
    return { status: 206, headers: { ...headers, ...several }, multipart };
  }
  const { start, end } = range;
  const part = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': `${end - start + 1}` };
  return { status: 206, headers: { ...headers, ...part }, range };
}
