/** Returns the texts of a `Warning` header (RFC 9111 section 5.5): `299 - "text"`, separated by commas. Ignores other forms. */
export function warningsIn(header: string): readonly string[] {
  return [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}
