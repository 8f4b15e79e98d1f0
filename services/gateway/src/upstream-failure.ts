export class UpstreamFailure extends Error {
  /** Nothing reached the upstream, or a retry is harmless. */
  readonly isRepeatable: boolean;

  constructor(message: string, isRepeatable: boolean) {
    super(message);
    this.isRepeatable = isRepeatable;
  }
}
