export interface WholeResponseInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A short answer whose bytes are all there. The listener sends them in one piece, without the stream that an ordinary
 * Response puts around its body, which costs more than everything else of a small answer. `content-length` is added. To
 * everybody else it is an ordinary Response.
 */
export class WholeResponse extends Response {
  readonly whole: string | Uint8Array<ArrayBuffer>;
  readonly headerRecord: Readonly<Record<string, string>>;

  constructor(
    content: string | Uint8Array<ArrayBuffer>,
    { status = 200, headers = {} }: WholeResponseInit = {},
  ) {
    const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
    const headerRecord = { ...headers, 'content-length': `${length}` };
    super(null, { status, headers: headerRecord });
    this.whole = content;
    this.headerRecord = headerRecord;
  }
}

function bodyOf({ whole }: WholeResponse): Response {
  return new Response(whole.length === 0 ? null : whole);
}

/** The types declare these as properties, which methods of a class cannot override. */
Object.defineProperty(WholeResponse.prototype, 'body', {
  get(this: WholeResponse) {
    return bodyOf(this).body;
  },
});
for (const name of ['arrayBuffer', 'bytes', 'blob', 'json', 'text'] as const) {
  Object.defineProperty(WholeResponse.prototype, name, {
    value(this: WholeResponse) {
      return bodyOf(this)[name]();
    },
  });
}
