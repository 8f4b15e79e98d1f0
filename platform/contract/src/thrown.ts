/** What a catch clause may read of a value that was thrown. Nearly always it is an Error. */

export function messageOf(thrown: unknown): string {
  return errorOf(thrown).message;
}

/** Node's name of a system error, such as `ENOENT`. Undefined when there is none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}

export function stackOf(thrown: unknown): string | undefined {
  return errorOf(thrown).stack;
}

export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
