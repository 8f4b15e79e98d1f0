/** Warnings of the API as `kubectl` shows them: one `Warning` header each (RFC 9111 section 5.5, code 299). */

/** In characters: clients refuse an answer whose headers are too large, after the object was written (Kubernetes has the same limit). */
const TOTAL_MAX = 4096;
const TEXT_MAX = 1024;

export function withWarnings(response: Response, warnings: readonly string[]): Response {
  let left = TOTAL_MAX;
  for (const [index, warning] of warnings.entries()) {
    const text = plain(warning.slice(0, TEXT_MAX));
    left -= text.length;
    if (left < 0) {
      append(response, `and ${warnings.length - index} more`);
      break;
    }
    append(response, text);
  }
  return response;
}

/** A header holds neither line breaks nor, in many clients, anything but ASCII. */
function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

function append(response: Response, text: string): void {
  response.headers.append('warning', `299 - ${JSON.stringify(text)}`);
}
