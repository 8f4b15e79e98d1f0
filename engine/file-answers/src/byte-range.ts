/** The bytes [start, end] of a file, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header (RFC 9110 section 14.1.2): one range of bytes, cut to the file. `undefined` means "send the whole file":
 * the header is absent or has another unit, bad syntax, or several ranges, which a server may ignore and which would cost it more
 * than they are worth. `unsatisfiable` means that the range begins beyond the end.
 */
export function byteRangeOf(
  header: string | null,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  // 10^15 is beyond every file and below the numbers that JavaScript rounds.
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? undefined : suffixOf(Number(last), sizeBytes);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}

/** `bytes=-500`: the last 500 bytes, or all when there are fewer. */
function suffixOf(length: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  return length === 0 || sizeBytes === 0
    ? 'unsatisfiable'
    : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
}
