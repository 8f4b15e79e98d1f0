/** The reason why a text is not a pattern. */
export interface PatternError {
  /** Characters (UTF-16 units) before the place. */
  readonly offset: number;
  /** The place in the pattern: `networkInterfaces.mac[0]`. Empty at its top. */
  readonly path: string;
  /** What the parser expected there. */
  readonly message: string;
}

/** Thrown inside the parser. `parsePattern` returns it as a value. */
export class PatternFault extends Error {
  readonly fault: PatternError;

  constructor(path: string, offset: number, message: string) {
    super(message);
    this.fault = { offset, path, message };
  }
}
