/** Payloads without what surrounds them: padding (RFC 9113, section 6.1) and priorities (section 6.2). */
import { ConnectionError, WINDOW_MAX, errorCodes, flags, uint32At, type Frame } from './frame.ts';

const PRIORITY_BYTES = 5;

/** Returns the data of a DATA frame. Throws a ConnectionError. */
export function dataIn(frame: Frame): Uint8Array {
  return (frame.flags & flags.padded) === 0 ? frame.payload : unpadded(frame.payload);
}

/** Returns the part of a header block in a HEADERS frame. Throws a ConnectionError. */
export function headersIn(frame: Frame): Uint8Array {
  const block = dataIn(frame);
  if ((frame.flags & flags.priority) === 0) return block;
  if (block.length < PRIORITY_BYTES)
    throw new ConnectionError(errorCodes.frameSize, 'no room for a priority');
  return block.subarray(PRIORITY_BYTES);
}

/** Returns the stream that the one of a HEADERS frame depends on, or undefined. */
export function priorityIn(frame: Frame): number | undefined {
  return (frame.flags & flags.priority) === 0 ? undefined : uint32At(dataIn(frame), 0) & WINDOW_MAX;
}

function unpadded(payload: Uint8Array): Uint8Array {
  const padding = payload[0] ?? payload.length;
  if (padding >= payload.length) throw protocolError('nothing but padding');
  return payload.subarray(1, payload.length - padding);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Throws a ConnectionError. */
export function mustHave({ payload }: Frame, length: number): void {
  if (payload.length !== length) throw new ConnectionError(errorCodes.frameSize, 'a frame of a wrong size');
}

export function protocolError(message: string): ConnectionError {
  return new ConnectionError(errorCodes.protocol, message);
}
