/** What the serial consoles of all protocols do alike. */
import { BmcError } from './bmc-error.ts';

/** Characters that wait for a slow reader. Beyond this the BMC waits. */
export const OUTPUT_BYTES_MAX = 64 * 1024;

export function consoleClosed(): BmcError {
  return new BmcError('session-lost', 'the serial console is closed');
}

/** Without an error, the caller or the BMC has closed the console. */
export function endOutput(
  controller: ReadableStreamDefaultController<Uint8Array> | undefined,
  error: BmcError | undefined,
): void {
  try {
    if (error === undefined) controller?.close();
    else controller?.error(error);
  } catch {
    // The reader has cancelled the stream.
  }
}
