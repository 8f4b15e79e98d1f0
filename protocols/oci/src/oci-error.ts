/** Input that is not a valid reference, digest, manifest or configuration. `field` is a path such as `layers[2].digest`. */
export class OciError extends Error {
  override readonly name = 'OciError';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`);
    this.field = field;
  }
}
