/** A partition table that is damaged or cannot be written. `field` is a path such as `partitions[2].name`. */
export class PartitionTableError extends Error {
  override readonly name = 'PartitionTableError';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`);
    this.field = field;
  }
}
