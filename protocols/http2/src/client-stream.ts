import { errorCodes } from './frame.ts';
import { statusOf, type Fields } from './message-fields.ts';
import { Stream, type StreamListener, type StreamOwner } from './stream.ts';

/** What happens to a request. */
export interface AnswerListener extends StreamListener {
  /** The header fields of the answer, and with `isEnd` all of it. Those of interim answers (100 to 199) are not reported. */
  answered(status: number, fields: Fields, isEnd: boolean): void;
}

export interface Asked {
  /** Its answer has no body, whatever its header fields announce. */
  readonly isHead: boolean;
  readonly listener: AnswerListener;
}

/** A request that a client has sent, and its answer. */
export class ClientStream extends Stream {
  readonly #isHead: boolean;
  readonly #onAnswer: AnswerListener;
  #isAnswered = false;

  constructor(id: number, sendWindow: number, { owner, asked }: { owner: StreamOwner; asked: Asked }) {
    super(id, sendWindow, owner);
    this.#isHead = asked.isHead;
    this.#onAnswer = asked.listener;
    this.listener = asked.listener;
  }

  /** The header fields of an answer, or its trailers. Undefined: they were too many. */
  receiveHeaders(fields: Fields | undefined, isEnd: boolean): void {
    if (this.#isAnswered) return this.receiveTrailers(fields, isEnd);
    if (fields === undefined || !this.owner.validity.isAnswer(fields)) return this.fail(errorCodes.protocol);
    const status = statusOf(fields);
    if (status < 200) {
      // There is no switch to another protocol (RFC 9113, section 8.6).
      if (isEnd || status === 101) this.fail(errorCodes.protocol);
      return;
    }
    this.#receiveAnswer(status, fields, isEnd);
  }

  override receiveData(bytes: Uint8Array, size: number): void {
    if (this.#isAnswered) super.receiveData(bytes, size);
    else this.fail(errorCodes.protocol);
  }

  protected override sentAll(): void {
    // The answer follows.
  }

  /** The answer is complete. What is left of the request is not needed. */
  protected override receivedAll(): void {
    if (!this.isSent) this.stop(errorCodes.cancel);
    this.close();
  }

  #receiveAnswer(status: number, fields: Fields, isEnd: boolean): void {
    this.#isAnswered = true;
    const hasBody = !this.#isHead && status !== 204 && status !== 304;
    if (hasBody && !this.announce(fields)) return this.fail(errorCodes.protocol);
    if (isEnd && !this.endReceived()) return;
    this.#onAnswer.answered(status, fields, isEnd);
    if (isEnd) this.listener.end();
  }
}
