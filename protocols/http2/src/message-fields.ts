/** The header fields of requests and answers (RFC 9113, section 8). */

/** Visible characters of ISO 8859-1, and spaces and tabs between them (RFC 9110, section 5.5). */
const VALUE = /^(?:[!-~\u0080-\u00ff](?:[\t -~\u0080-\u00ff]*[!-~\u0080-\u00ff])?)?$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const STATUS = /^[1-9]\d\d$/;
const OF_REQUESTS: ReadonlySet<string> = new Set([':method', ':scheme', ':path', ':authority']);
const OF_ANSWERS: ReadonlySet<string> = new Set([':status']);
/** They are about one connection of HTTP/1 (section 8.2.2). */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Names and values by turns. */
export type Fields = readonly string[];

/** Returns the value of a field, or undefined. Repeated fields are joined by a comma (RFC 9110, section 5.3). */
export function fieldOf(fields: Fields, name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < fields.length; at += 2)
    if (fields[at] === name) found = found === undefined ? fields[at + 1] : `${found}, ${fields[at + 1]}`;
  return found;
}

/** Returns the length of all names and values. */
export function charactersOf(fields: Fields): number {
  let characters = 0;
  for (const text of fields) characters += text.length;
  return characters;
}

/** False for a malformed request (section 8.1.1). */
export function isRequest(fields: Fields): boolean {
  return (
    isMessage(fields, OF_REQUESTS) &&
    METHOD.test(fieldOf(fields, ':method') ?? '') &&
    // It has no path (section 8.5), and nobody here is a proxy of TCP.
    fieldOf(fields, ':method') !== 'CONNECT' &&
    fieldOf(fields, ':scheme') !== undefined &&
    (fieldOf(fields, ':path') ?? '') !== ''
  );
}

/** False for a malformed answer. */
export function isAnswer(fields: Fields): boolean {
  return isMessage(fields, OF_ANSWERS) && STATUS.test(fieldOf(fields, ':status') ?? '');
}

/** Of a valid answer. */
export function statusOf(fields: Fields): number {
  return Number(fieldOf(fields, ':status'));
}

/** Trailers have no pseudo-header fields. */
export function areTrailers(fields: Fields): boolean {
  return isMessage(fields, NONE);
}

/** Pseudo-header fields come first, and each once. */
function isMessage(fields: Fields, pseudo: ReadonlySet<string>): boolean {
  let plainFrom = 0;
  while (fields[plainFrom]?.startsWith(':') === true) plainFrom += 2;
  for (let at = 0; at < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]];
    const isAllowed = at < plainFrom ? pseudo.has(name) && isFirst(fields, at) : isPlainField(name, value);
    if (!isAllowed || !VALUE.test(value)) return false;
  }
  return true;
}

/** Whether no field before `at` has its name. */
function isFirst(fields: Fields, at: number): boolean {
  for (let before = 0; before < at; before += 2) if (fields[before] === fields[at]) return false;
  return true;
}

function isPlainField(name: string, value: string): boolean {
  if (!NAME.test(name) || OF_CONNECTIONS.has(name)) return false;
  return name !== 'te' || value === 'trailers';
}

const NONE: ReadonlySet<string> = new Set();
