import type { HttpRequest } from '@tinkerbell/platform-contract';

export interface ByteRange {
  /** Both inclusive. */
  readonly start: number;
  readonly end: number;
}

/** Decides how a request for a file is answered. Without `range` the response has no body. */
export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly range?: ByteRange;
}

export interface ServedFile {
  /** Absent for a file without an ETag. Conditional ranges then get the whole file. */
  readonly etag?: string;
  readonly sizeBytes: number;
  readonly contentType: string;
}

/**
 * Follows RFC 9110 sections 13 and 14. One range gets a partial response. Several ranges, another unit or bad syntax get the
 * whole file, which the RFC permits. If-Range works only with our ETag, because generated files have no date.
 */
export function fileAnswerFor(
  headers: HttpRequest['headers'],
  { etag, sizeBytes, contentType }: ServedFile,
): FileAnswer {
  const common = {
    ...(etag === undefined ? {} : { etag }),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  };
  const known = headers.get('if-none-match');
  if (known !== null && etag !== undefined && holds(known, etag)) return { status: 304, headers: common };
  const ifRange = headers.get('if-range');
  const range =
    ifRange === null || (etag !== undefined && ifRange.trim() === etag)
      ? rangeOf(headers.get('range'), sizeBytes)
      : undefined;
  if (range === 'unsatisfiable')
    return {
      status: 416,
      headers: { ...common, 'content-range': `bytes */${sizeBytes}`, 'content-length': '0' },
    };
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  const described = {
    ...common,
    'content-type': contentType,
    'content-length': `${end - start + 1}`,
  };
  return range === undefined
    ? { status: 200, headers: described, range: { start, end } }
    : {
        status: 206,
        headers: { ...described, 'content-range': `bytes ${start}-${end}/${sizeBytes}` },
        range: { start, end },
      };
}

function holds(list: string, etag: string): boolean {
  return list.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
}

/** Undefined means the whole file. 10^15 is beyond every image and below the numbers that JavaScript rounds. */
function rangeOf(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first, last = '', suffix = ''] = match;
  const final = sizeBytes - 1;
  if (first === undefined) return suffixOf(Number(suffix), sizeBytes);
  const start = Number(first);
  const end = last === '' ? Infinity : Number(last);
  if (end < start) return undefined;
  return start > final ? 'unsatisfiable' : { start, end: Math.min(end, final) };
}

function suffixOf(length: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  return length === 0 ? 'unsatisfiable' : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
}
