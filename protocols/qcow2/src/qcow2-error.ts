/** An image that is damaged or not supported. `field` is a part of the format, such as `L2 entry 7`. */
export class Qcow2Error extends Error {
  override readonly name = 'Qcow2Error';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`);
    this.field = field;
  }
}
