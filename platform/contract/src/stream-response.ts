import { OwnResponse } from './own-response.ts';
import type { WholeResponseInit } from './whole-response.ts';

/** A response whose bytes are read while they are sent, or that has none. */
export class StreamResponse extends OwnResponse {
  readonly stream: ReadableStream<Uint8Array> | null;
  readonly status: number;
  readonly headerRecord: Readonly<Record<string, string>>;

  constructor(
    stream: ReadableStream<Uint8Array> | null,
    { status = 200, headers = {} }: WholeResponseInit = {},
  ) {
    super();
    this.stream = stream;
    this.status = status;
    this.headerRecord = headers;
  }

  protected createOrdinary(): Response {
    return new Response(this.stream, { status: this.status, headers: this.headerRecord });
  }
}
