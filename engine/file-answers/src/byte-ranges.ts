import { byteRangeOf, type ByteRange } from './byte-range.ts';

/** More ranges are a mistake or an attack (RFC 9110 section 14.2), and get the whole file. */
const RANGES_MAX = 16;
/** The size of a part's head: a smaller gap is cheaper to send than to omit. */
const GAP_BYTES_MAX = 128;

/**
 * Reads a Range header with one range of bytes or several. Ranges that overlap or nearly touch are merged, and all are in the
 * order of the file. The other results are those of `byteRangeOf`.
 */
export function byteRangesOf(
  header: string | null,
  sizeBytes: number,
): readonly ByteRange[] | 'unsatisfiable' | undefined {
  const found: ByteRange[] = [];
  const specs = specsOf(header);
  for (const spec of specs) {
    const range = byteRangeOf(`bytes=${spec}`, sizeBytes);
    if (range === undefined) return undefined;
    if (range !== 'unsatisfiable') found.push(range);
  }
  if (specs.length === 0) return undefined;
  return found.length === 0 ? 'unsatisfiable' : merged(found);
}

/** Returns no ranges when there are too many. */
function specsOf(header: string | null): readonly string[] {
  const list = /^bytes=(.*)$/i.exec(header?.trim() ?? '')?.[1]?.split(',') ?? [];
  // Blanks are allowed after commas only.
  return list.length > RANGES_MAX ? [] : list.map((spec, index) => (index === 0 ? spec : spec.trim()));
}

function merged(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const result: ByteRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last === undefined || range.start - last.end > GAP_BYTES_MAX) result.push(range);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return result;
}
