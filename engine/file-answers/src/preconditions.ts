import type { HttpRequest } from '@tinkerbell/platform-contract';
/** The validators of a file. */
export interface Validators {
  /** Strong: it changes with the content. */
  readonly etag: string;
  readonly modifiedMs: number;
}

/** An ETag for a file whose content may change: it changes with the size and the time. */
export function sizeAndTimeTag(file: { readonly sizeBytes: number; readonly modifiedMs: number }): string {
  return `"${file.sizeBytes.toString(16)}-${Math.floor(file.modifiedMs).toString(16)}"`;
}

/** RFC 9110 section 13.2.2: returns the status that a precondition demands, or undefined to continue. */
export function failedPrecondition(
  headers: HttpRequest['headers'],
  validators: Validators,
): 304 | 412 | undefined {
  const ifMatch = headers.get('if-match');
  if (ifMatch !== null && !listHolds(ifMatch, validators.etag, { isWeak: false })) return 412;
  const unmodifiedSince = dateOf(headers.get('if-unmodified-since'));
  if (ifMatch === null && unmodifiedSince !== undefined && seconds(validators.modifiedMs) > unmodifiedSince)
    return 412;

  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null)
    return listHolds(ifNoneMatch, validators.etag, { isWeak: true }) ? 304 : undefined;
  const modifiedSince = dateOf(headers.get('if-modified-since'));
  return modifiedSince !== undefined && seconds(validators.modifiedMs) <= modifiedSince ? 304 : undefined;
}

/** RFC 9110 section 13.1.5: a Range counts only while the file is still the one that the client has a part of. */
export function rangeApplies(headers: HttpRequest['headers'], validators: Validators): boolean {
  const ifRange = headers.get('if-range')?.trim();
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return ifRange === validators.etag;
  return dateOf(ifRange) === seconds(validators.modifiedMs);
}

function listHolds(list: string, etag: string, comparison: { readonly isWeak: boolean }): boolean {
  if (list.trim() === '*') return true;
  const tags = list.split(',').map((tag) => tag.trim());
  return tags.some((tag) => (comparison.isWeak ? tag.replace(/^W\//, '') : tag) === etag);
}

/** HTTP dates have whole seconds. */
function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function dateOf(text: string | null | undefined): number | undefined {
  // The form that all senders must use. Date.parse alone would accept almost anything.
  if (
    text === null ||
    text === undefined ||
    !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim())
  ) {
    return undefined;
  }
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? undefined : seconds(parsed);
}
