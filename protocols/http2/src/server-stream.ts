import { errorCodes } from './frame.ts';
import { Stream } from './stream.ts';

/** A request that a server has received, and its answer. */
export class ServerStream extends Stream {
  /** The answer is complete. A client that still sends is stopped without an error (RFC 9113, section 8.1). */
  protected override sentAll(): void {
    if (!this.isReceived) this.stop(errorCodes.none);
    this.close();
    this.listener.completed?.();
  }

  protected override receivedAll(): void {
    // The answer follows.
  }
}
