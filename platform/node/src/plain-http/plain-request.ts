/** Reads requests of HTTP/1.1 that arrive whole and ask for nothing special (RFC 9112). */

interface Fields {
  /** Names and values in turn, as sent. */
  readonly rawHeaders: readonly string[];
  readonly host: string;
  readonly contentLength: number;
}

export interface PlainRequest extends Pick<Fields, 'rawHeaders' | 'host'> {
  readonly method: string;
  /** In origin-form. */
  readonly target: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * A stricter grammar than that of Node's parser: what it does not match is left to Node's. A target and a value of printable characters, one space
 * between the words of the request line, no line that continues another one, and no line that ends without a carriage return.
 */
const HEAD =
  /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[!-~]*) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~\w-]+:[\t -~\x80-\xff]*\r\n)+)\r\n$/;
const CONTENT_LENGTH = /^\d{1,9}$/;
const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_BYTES_MAX = 8 * 1024;
/** Those after the first two change how the connection is used, how the body is sent, or when. */
const KNOWN = [
  'host',
  'content-length',
  'connection',
  'upgrade',
  'expect',
  'transfer-encoding',
  'proxy-connection',
  'http2-settings',
] as const;
type KnownName = (typeof KNOWN)[number];
const KNOWN_LENGTHS: ReadonlySet<number> = new Set(KNOWN.map(({ length }) => length));

/** A client sends the same fields with each of its requests. */
let lastText = '';
let lastFields: Fields | undefined;

/** Returns undefined unless the bytes are one plain request, from its first byte to its last. */
export function readPlainRequest(bytes: Buffer<ArrayBuffer>): PlainRequest | undefined {
  const headEnd = bytes.indexOf(HEAD_END) + HEAD_END.length;
  if (headEnd < HEAD_END.length || headEnd > HEAD_BYTES_MAX) return undefined;
  const [, method, target, text] = HEAD.exec(bytes.toString('latin1', 0, headEnd)) ?? [];
  if (method === undefined || target === undefined || text === undefined) return undefined;
  const fields = text === lastText ? lastFields : fieldsOf(text);
  [lastText, lastFields] = [text, fields];
  if (fields === undefined || bytes.length !== headEnd + fields.contentLength) return undefined;
  const { rawHeaders, host } = fields;
  return { method, target, rawHeaders, host, body: bytes.subarray(headEnd) };
}

/** Returns undefined for headers that need more than reading, and when one that frames the request is repeated. */
function fieldsOf(text: string): Fields | undefined {
  const rawHeaders: string[] = [];
  const framing: { host?: string; 'content-length'?: string } = {};
  for (let at = 0; at < text.length;) {
    const [colon, end] = [text.indexOf(':', at), text.indexOf('\r\n', at)];
    const name = text.slice(at, colon);
    const value = trimmed(text, colon + 1, end);
    rawHeaders.push(name, value);
    at = end + 2;
    const known = knownName(name);
    if (known === undefined) continue;
    if (known !== 'host' && known !== 'content-length') {
      if (known !== 'connection' || value.toLowerCase() !== 'keep-alive') return undefined;
    } else if (framing[known] === undefined) framing[known] = value;
    else return undefined;
  }
  const { host, 'content-length': contentLength = '0' } = framing;
  if (host === undefined || !CONTENT_LENGTH.test(contentLength)) return undefined;
  return { rawHeaders, host, contentLength: Number(contentLength) };
}

/** Without the spaces and tabs around it. Other white space belongs to the value. */
function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x09;
}

/** Returns the name in lower case if it is one that matters here. Most names need not be compared. */
function knownName(name: string): KnownName | undefined {
  return KNOWN_LENGTHS.has(name.length) ? KNOWN.find((known) => known === name.toLowerCase()) : undefined;
}
