export interface WholeResponseInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** To encode or write more than this takes a turn of the event loop of its own. */
export const OWN_TURN_BYTES = 64 * 1024;

/**
 * A short response whose bytes are all in memory. The listener sends them in one piece. An ordinary Response builds a stream
 * around its body and a list of its headers, which costs more than everything else for a small response. Here they are built on
 * first use. `content-length` is added.
 */
export class WholeResponse implements Response {
  /** A long text is encoded at once, which also gives its length. */
  readonly whole: string | Uint8Array<ArrayBuffer>;
  readonly status: number;
  readonly headerRecord: Readonly<Record<string, string>>;
  #response: Response | undefined;

  constructor(
    content: string | Uint8Array<ArrayBuffer>,
    { status = 200, headers = {} }: WholeResponseInit = {},
  ) {
    const isLong = typeof content === 'string' && content.length > OWN_TURN_BYTES;
    const whole = isLong ? Buffer.from(content) : content;
    const length = typeof whole === 'string' ? Buffer.byteLength(whole) : whole.length;
    this.whole = whole;
    this.status = status;
    this.headerRecord = { ...headers, 'content-length': `${length}` };
  }

  /** The same response as an ordinary fetch Response. */
  get #ordinary(): Response {
    this.#response ??= new Response(this.whole.length === 0 ? null : this.whole, {
      status: this.status,
      headers: this.headerRecord,
    });
    return this.#response;
  }

  get headers(): Headers {
    return this.#ordinary.headers;
  }

  get ok(): boolean {
    return this.#ordinary.ok;
  }

  get statusText(): string {
    return this.#ordinary.statusText;
  }

  get type(): Response['type'] {
    return this.#ordinary.type;
  }

  get url(): string {
    return this.#ordinary.url;
  }

  get redirected(): boolean {
    return this.#ordinary.redirected;
  }

  get body(): Response['body'] {
    return this.#ordinary.body;
  }

  get bodyUsed(): boolean {
    return this.#ordinary.bodyUsed;
  }

  clone(): Response {
    return this.#ordinary.clone();
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#ordinary.arrayBuffer();
  }

  blob(): ReturnType<Response['blob']> {
    return this.#ordinary.blob();
  }

  bytes(): ReturnType<Response['bytes']> {
    return this.#ordinary.bytes();
  }

  formData(): ReturnType<Response['formData']> {
    return this.#ordinary.formData();
  }

  json(): ReturnType<Response['json']> {
    return this.#ordinary.json();
  }

  text(): Promise<string> {
    return this.#ordinary.text();
  }

  textStream(): ReturnType<Response['textStream']> {
    return this.#ordinary.textStream();
  }
}
