import { encodeList, type Fields } from '@tinkerbell/http2';

const VERSION = '00-';
/** Version, trace, span and flags (W3C Trace Context, section 3.2). */
const UNKNOWN_PARENT = `${VERSION}${'0'.repeat(32)}-${'0'.repeat(16)}-00`;
const TRACE_DIGITS = 32;

/** A header block that is sent again and again, each time with another trace. */
export class TracedBlock {
  readonly #bytes: Uint8Array;

  /** `fields` have no `traceparent`. */
  constructor(fields: Fields) {
    this.#bytes = encodeList([...fields, 'traceparent', UNKNOWN_PARENT], (bytes) => new Uint8Array(bytes));
  }

  /** `digits` are 32 of the trace and 16 of the span. The block is valid until the next call. */
  of(digits: string): Uint8Array {
    const bytes = this.#bytes;
    const start = bytes.length - UNKNOWN_PARENT.length + VERSION.length;
    for (let at = 0; at < digits.length; at += 1)
      bytes[start + at + (at < TRACE_DIGITS ? 0 : 1)] = digits.charCodeAt(at);
    return bytes;
  }
}
