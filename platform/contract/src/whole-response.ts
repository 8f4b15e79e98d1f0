import { OwnResponse } from './own-response.ts';

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
export class WholeResponse extends OwnResponse {
  /** A long text is encoded at once, which also gives its length. */
  readonly whole: string | Uint8Array<ArrayBuffer>;
  /** Of the body. */
  readonly byteLength: number;
  readonly status: number;
  readonly headerRecord: Readonly<Record<string, string>>;

  constructor(
    content: string | Uint8Array<ArrayBuffer>,
    { status = 200, headers = {} }: WholeResponseInit = {},
  ) {
    super();
    const isLong = typeof content === 'string' && content.length > OWN_TURN_BYTES;
    const whole = isLong ? Buffer.from(content) : content;
    this.whole = whole;
    this.byteLength = typeof whole === 'string' ? Buffer.byteLength(whole) : whole.length;
    this.status = status;
    this.headerRecord = { ...headers, 'content-length': `${this.byteLength}` };
  }

  protected createOrdinary(): Response {
    const { status, headerRecord: headers } = this;
    return new Response(this.whole.length === 0 ? null : this.whole, { status, headers });
  }
}
