/** Reads requests of HTTP/1.1 that arrive whole and ask for nothing special (RFC 9112). */

/** The headers of a request. Clients repeat them from request to request. */
interface Fields {
  /** As sent. Names and values in turn. */
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
const FIELD = /([^:]+):[\t ]*(.*?)[\t ]*\r\n/gy;
const CONTENT_LENGTH = /^\d{1,9}$/;
const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_BYTES_MAX = 8 * 1024;
/** They change how the connection is used, how the body is sent, or when. */
const SPECIAL = new Set(['upgrade', 'expect', 'transfer-encoding', 'proxy-connection', 'http2-settings']);

/** What is kept of the headers of recent requests. */
const KEPT_FIELDS = 256;
const KEPT_CHARACTERS_MAX = 1024;

/** Reads the requests of all connections of a process. */
export class PlainRequests {
  readonly #kept = new Map<string, Fields>();

  /** Returns undefined unless the bytes are one plain request, from its first byte to its last. */
  read(bytes: Buffer<ArrayBuffer>): PlainRequest | undefined {
    const headEnd = bytes.indexOf(HEAD_END) + HEAD_END.length;
    if (headEnd < HEAD_END.length || headEnd > HEAD_BYTES_MAX) return undefined;
    const [, method, target, text] = HEAD.exec(bytes.toString('latin1', 0, headEnd)) ?? [];
    if (method === undefined || target === undefined || text === undefined) return undefined;
    const fields = this.#kept.get(text) ?? this.#keep(text, fieldsOf(text));
    if (fields === undefined || bytes.length !== headEnd + fields.contentLength) return undefined;
    const { rawHeaders, host } = fields;
    return { method, target, rawHeaders, host, body: bytes.subarray(headEnd) };
  }

  #keep(text: string, fields: Fields | undefined): Fields | undefined {
    if (fields === undefined || text.length > KEPT_CHARACTERS_MAX) return fields;
    if (this.#kept.size >= KEPT_FIELDS) this.#kept.clear();
    this.#kept.set(text, fields);
    return fields;
  }
}

/** Returns undefined for headers that need more than reading, and when one that frames the request is repeated. */
function fieldsOf(text: string): Fields | undefined {
  const rawHeaders: string[] = [];
  const framing = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(FIELD)) {
    rawHeaders.push(name, value);
    const lower = name.toLowerCase();
    if (isSpecial(lower, value) || framing.has(lower)) return undefined;
    if (lower === 'host' || lower === 'content-length') framing.set(lower, value);
  }
  const host = framing.get('host');
  const contentLength = framing.get('content-length') ?? '0';
  if (host === undefined || !CONTENT_LENGTH.test(contentLength)) return undefined;
  return { rawHeaders, host, contentLength: Number(contentLength) };
}

function isSpecial(name: string, value: string): boolean {
  return name === 'connection' ? value.toLowerCase() !== 'keep-alive' : SPECIAL.has(name);
}
