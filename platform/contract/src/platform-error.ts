export type PlatformErrorCode =
  | 'address-in-use'
  | 'damaged'
  | 'disk-full'
  | 'permission-denied'
  | 'no-such-interface'
  | 'not-found'
  | 'too-large'
  | 'unavailable';

/** An expected failure of the machine, with a message an operator can act on. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;

  constructor(code: PlatformErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PlatformError';
    this.code = code;
  }
}
