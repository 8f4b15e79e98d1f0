/** The header fields of a request (RFC 9113, section 8). */

// oxlint-disable-next-line no-control-regex
const FORBIDDEN_VALUE = /[\0\r\n]/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const PSEUDO = [':method', ':scheme', ':path', ':authority'];
/** They are about one connection of HTTP/1 (section 8.2.2). */
const OF_CONNECTIONS = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'];

/** Names and values by turns. */
export type Fields = readonly string[];

/** Returns the value of a field, or undefined. Repeated fields are joined by a comma (RFC 9110, section 5.3). */
export function fieldOf(fields: Fields, name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < fields.length; at += 2)
    if (fields[at] === name) found = found === undefined ? fields[at + 1] : `${found}, ${fields[at + 1]}`;
  return found;
}

/** False for a malformed request (section 8.1.1). */
export function isRequest(fields: Fields): boolean {
  let hasPlain = false;
  const seen: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    if (name.startsWith(':')) {
      if (hasPlain || seen.includes(name) || !PSEUDO.includes(name)) return false;
      seen.push(name);
    } else {
      hasPlain = true;
      if (!isPlainName(name, fields[at + 1])) return false;
    }
    if (FORBIDDEN_VALUE.test(fields[at + 1] ?? '')) return false;
  }
  return (
    [':method', ':scheme', ':path'].every((name) => seen.includes(name)) && fieldOf(fields, ':path') !== ''
  );
}

/** Trailers have no pseudo-header fields. */
export function areTrailers(fields: Fields): boolean {
  return fields.every((name, at) => at % 2 === 1 || isPlainName(name, fields[at + 1]));
}

function isPlainName(name: string, value: string | undefined): boolean {
  if (!NAME.test(name) || OF_CONNECTIONS.includes(name)) return false;
  return name !== 'te' || value === 'trailers';
}
