/**
 * The cause and position of a decoding error. `offset` is in bytes from the start of the input, and `field` is the name of the
 * field being read.
 */
export interface DecodeFailure {
  /** Kebab-case reason, fit for a metric label. */
  readonly code: string;
  readonly offset: number;
  readonly field: string;
  readonly message: string;
}

/** The result of reading external input. */
export type Decoded<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: DecodeFailure };

/** Thrown inside a codec only. `decoded` turns it into a value before it leaves the package. */
export class DecodeError extends Error {
  readonly failure: DecodeFailure;

  constructor(failure: Omit<DecodeFailure, 'message'>, detail: string) {
    super(`${failure.field} at byte ${failure.offset}: ${detail}`);
    this.name = 'DecodeError';
    this.failure = { ...failure, message: this.message };
  }
}

/** Runs a decoder. A DecodeError becomes `{ ok: false, error }`. Any other exception is a bug and is rethrown. */
export function decoded<Value>(decode: () => Value): Decoded<Value> {
  try {
    return { ok: true, value: decode() };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, error: error.failure };
    throw error;
  }
}
