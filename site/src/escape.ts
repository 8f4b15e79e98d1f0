const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute. Entities of the author, such as `&lt;`, stay what they are. */
export function escapeHtml(text: string): string {
  return text.replaceAll(
    /[<>"']|&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|\w{1,31});)/gi,
    (character) => escapes[character] ?? '',
  );
}
