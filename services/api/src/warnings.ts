/** Formats warnings as `Warning` headers for `kubectl` (RFC 9111 section 5.5, code 299). */

/**
 * Limit in characters. Clients reject an answer with too large headers, after the object was written. Kubernetes has the same
 * limit.
 */
const TOTAL_MAX = 4096;
const TEXT_MAX = 1024;

/** Returns the header with one value per warning; undefined without warnings. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  const values: string[] = [];
  let left = TOTAL_MAX;
  for (const [index, warning] of warnings.entries()) {
    const text = plain(warning.slice(0, TEXT_MAX));
    left -= text.length;
    values.push(left < 0 ? `and ${warnings.length - index} more` : text);
    if (left < 0) break;
  }
  return { warning: values.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') };
}

/** A header must not contain line breaks and, for many clients, only ASCII. */
function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
