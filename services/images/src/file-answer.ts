import type { HttpRequest } from '@tinkerbell/platform-contract';
import type { ByteRange } from './byte-range.ts';
import { byteRangesOf } from './byte-ranges.ts';
import { contentTypeOf } from './content-type.ts';
import type { Encoding } from './encoded-variant.ts';
import { multipartOf, type Multipart } from './multipart.ts';
import { failedPrecondition, rangeApplies, validatorsOf } from './preconditions.ts';

export interface FileAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Absent: no body, or one of several parts. */
  readonly range?: ByteRange;
  readonly multipart?: Multipart;
}

interface Answered {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** The encoding of the file, if it is the compressed form of the requested one. */
  readonly encoding?: Encoding['name'];
}

/** Returns status, headers and bytes of a file for a request. HEAD gets the same answer without the body. */
export function answerFor(request: HttpRequest['headers'], path: string, file: Answered): FileAnswer {
  const { etag: plainTag, modifiedMs } = validatorsOf(file);
  const etag = file.encoding === undefined ? plainTag : plainTag.replace(/"$/, `-${file.encoding}"`);
  const validators = { etag, modifiedMs };
  const common = {
    etag: validators.etag,
    'last-modified': new Date(validators.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  };
  const failed = failedPrecondition(request, validators);
  if (failed !== undefined) return { status: failed, headers: common };

  const size = file.sizeBytes;
  const ranges = rangeApplies(request, validators) ? byteRangesOf(request.get('range'), size) : undefined;
  if (ranges === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  }
  const contentType = contentTypeOf(path);
  const encoded = file.encoding === undefined ? common : { ...common, 'content-encoding': file.encoding };
  const headers = { ...encoded, 'content-type': contentType };
  if (ranges !== undefined) {
    const multipart = multipartOf(ranges, { sizeBytes: size, contentType, etag: validators.etag });
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
