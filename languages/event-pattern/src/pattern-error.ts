/** Why a text is no pattern. */
export interface PatternError {
  /** Characters (UTF-16 units) before the place. */
  readonly offset: number;
  /** Where in the pattern: `networkInterfaces.mac[0]`; empty at its top. */
  readonly path: string;
  /** What was expected there. */
  readonly message: string;
}

/** Thrown inside the parser; `parsePattern` gives it as a value. */
export class PatternFault extends Error {
  readonly fault: PatternError;

  constructor(path: string, offset: number, message: string) {
    super(message);
    this.fault = { offset, path, message };
  }
}
