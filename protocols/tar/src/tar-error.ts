/** Input that is not a valid tar stream. */
export class TarError extends Error {
  override readonly name = 'TarError';
}
