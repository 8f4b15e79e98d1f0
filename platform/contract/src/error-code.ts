/** Returns the code of an error of Node.js, such as `ENOENT`, or an empty string when the error has none. */
export function errorCodeOf(thrown: unknown): string {
  const hasCode = typeof thrown === 'object' && thrown !== null && 'code' in thrown;
  return hasCode && typeof thrown.code === 'string' ? thrown.code : '';
}
