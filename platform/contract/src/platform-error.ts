export type PlatformErrorCode =
  | 'address-in-use'
  | 'damaged'
  | 'disk-full'
  | 'permission-denied'
  | 'no-such-interface'
  | 'not-found'
  | 'too-large'
  | 'unavailable';

/** The port that could not be opened. */
export interface FailedPort {
  readonly protocol: 'tcp' | 'udp';
  readonly number: number;
  /** The message names the program that holds the port. */
  readonly hasHolder?: boolean;
}

export interface PlatformErrorOptions extends ErrorOptions {
  readonly port?: FailedPort;
}

/** An expected failure of the machine, with a message an operator can act on. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;
  readonly port: FailedPort | undefined;

  constructor(code: PlatformErrorCode, message: string, options?: PlatformErrorOptions) {
    super(message, options);
    this.name = 'PlatformError';
    this.code = code;
    this.port = options?.port;
  }
}
