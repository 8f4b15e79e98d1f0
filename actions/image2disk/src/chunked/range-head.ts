/** The head of an answer to a request for a range, in the one form that `RangeConnection` reads: RFC 9112 section 4, RFC 9110 section 14. */

/** Of the servers that send ranges, none has longer heads. */
export const HEAD_BYTES_MAX = 8 * 1024;
/** A field that may be there only once, and how the answer is framed. */
const READ_FIELDS = [
  'content-length',
  'content-range',
  'transfer-encoding',
  'content-encoding',
  'connection',
];

export interface WantedRange {
  readonly first: number;
  readonly length: number;
}

/**
 * Returns where the body begins, 'more' while the head is not complete, and 'other' for every other answer, which may be right
 * nevertheless.
 */
export function bodyStart(bytes: Uint8Array, wanted: WantedRange): number | 'more' | 'other' {
  const text = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES_MAX));
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return bytes.length < HEAD_BYTES_MAX ? 'more' : 'other';
  const [status = '', ...lines] = text.slice(0, end).split('\r\n');
  if (!/^HTTP\/1\.1 206(?: |$)/.test(status)) return 'other';
  const fields = fieldsOf(lines);
  return fields !== undefined && isWanted(fields, wanted) ? end + 4 : 'other';
}

/** By name in lower case. Undefined when a line has no field, or a field that is read is duplicated. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === '' || (READ_FIELDS.includes(key) && fields.has(key))) return undefined;
    fields.set(key, value);
  }
  return fields;
}

function isWanted(fields: ReadonlyMap<string, string>, { first, length }: WantedRange): boolean {
  const range = `bytes ${first}-${first + length - 1}/`;
  return (
    fields.get('content-length') === String(length) &&
    fields.get('content-range')?.startsWith(range) === true &&
    !fields.has('transfer-encoding') &&
    !fields.has('content-encoding') &&
    fields.get('connection')?.toLowerCase() !== 'close'
  );
}
