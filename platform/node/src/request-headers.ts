import type { HttpRequest } from '@tinkerbell/platform-contract';

/** The headers of a request of HTTP/1, found where they are needed. */
export class RequestHeaders implements Pick<Headers, 'get' | 'has'> {
  readonly #rawHeaders: readonly string[];

  /** Takes names and values in turn. */
  constructor(rawHeaders: readonly string[]) {
    this.#rawHeaders = rawHeaders;
  }

  get(name: string): string | null {
    return headerOf(this.#rawHeaders, name);
  }

  /** The headers as sent. A repeated name appears repeatedly. */
  keys(): ReturnType<HttpRequest['headers']['keys']> {
    return this.#rawHeaders.filter((_, index) => index % 2 === 0);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

/** Joins all values of a header, as Headers does: none is dropped, and none can hide behind another. */
function headerOf(rawHeaders: readonly string[], name: string): string | null {
  const wanted = name.toLowerCase();
  let found: string | null = null;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const each = rawHeaders[index] ?? '';
    if (each.length !== wanted.length || each.toLowerCase() !== wanted) continue;
    const value = rawHeaders[index + 1] ?? '';
    found = found === null ? value : `${found}, ${value}`;
  }
  return found;
}
