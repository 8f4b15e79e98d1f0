/** Thrown inside the parser of regular expressions. */
export class RegexpFault extends Error {
  /** Code points before the place. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
