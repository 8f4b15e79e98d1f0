/** Finds `~.` at the start of a line, which ends a session as in ssh and ipmitool. `~~` sends one tilde. */
export interface Escaped {
  /** What goes to the console. */
  readonly bytes: Uint8Array;
  readonly isEnd: boolean;
}

const TILDE = 0x7e;
const DOT = 0x2e;
const LINE_ENDS: readonly number[] = [0x0a, 0x0d];

/** Keeps its place between calls, because keys arrive one by one. */
export class EscapeFilter {
  #isLineStart = true;
  #isAfterTilde = false;

  take(input: Uint8Array): Escaped {
    const bytes: number[] = [];
    for (const byte of input) {
      if (this.#isAfterTilde && byte === DOT) return { bytes: Uint8Array.from(bytes), isEnd: true };
      if (this.#isAfterTilde && byte !== TILDE) bytes.push(TILDE);
      const isHeld = !this.#isAfterTilde && this.#isLineStart && byte === TILDE;
      this.#isAfterTilde = isHeld;
      if (!isHeld) bytes.push(byte);
      this.#isLineStart = LINE_ENDS.includes(byte);
    }
    return { bytes: Uint8Array.from(bytes), isEnd: false };
  }
}
