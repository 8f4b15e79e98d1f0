import type { HttpRequest } from '@tinkerbell/platform-contract';
import type { ByteRange } from './byte-range.ts';
import { byteRangesOf } from './byte-ranges.ts';
import { multipartOf, type Multipart } from './multipart.ts';
import { failedPrecondition, rangeApplies } from './preconditions.ts';

export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
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
  const { validators, common, headers, whole } = constantsOf(file);
  const failed = failedPrecondition(request, validators);
  if (failed !== undefined) return { status: failed, headers: common };

  const ranges = rangeApplies(request, validators) ? byteRangesOf(request.get('range'), size) : undefined;
  if (ranges === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  }
  if (ranges !== undefined) {
    const multipart = multipartOf(ranges, { sizeBytes: size, contentType, etag });
    return partialAnswer(headers, multipart, size);
  }
  return whole;
}

interface Constants {
  readonly validators: { readonly etag: string; readonly modifiedMs: number };
  /** Of every answer. */
  readonly common: FileAnswer['headers'];
  /** Of every answer with bytes. */
  readonly headers: FileAnswer['headers'];
  readonly whole: FileAnswer;
}

/** What does not depend on the request, for a file that is described once for several requests. */
const constants = new WeakMap<DescribedFile, Constants>();

function constantsOf(file: DescribedFile): Constants {
  const known = constants.get(file);
  if (known !== undefined) return known;
  const { etag, contentType, contentEncoding, sizeBytes } = file;
  const validators = { etag, modifiedMs: Math.floor(file.modifiedMs) };
  const common = {
    etag,
    'last-modified': new Date(validators.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    ...file.headers,
  };
  const encoded = contentEncoding === undefined ? common : { ...common, 'content-encoding': contentEncoding };
  const headers = { ...encoded, 'content-type': contentType };
  const answer = { status: 200, headers: { ...headers, 'content-length': `${sizeBytes}` } };
  const whole = sizeBytes === 0 ? answer : { ...answer, range: { start: 0, end: sizeBytes - 1 } };
  const found = { validators, common, headers, whole };
  constants.set(file, found);
  return found;
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
