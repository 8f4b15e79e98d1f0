/** The header fields of a client's calls. Each is sent once, and then by its place in the dynamic table (RFC 7541), as gRPC's libraries do. */

import { putInteger } from '@tinkerbell/http2/testing';

/** Enough for any length below 2 MB. */
const LENGTH_BYTES_MAX = 4;
/** Indexes of the static table, Appendix A. */
const METHOD_POST = 3;
const [SCHEME_HTTP, SCHEME_HTTPS] = [6, 7] as const;
const DYNAMIC_FIRST = 62;
const [AUTHORITY, PATH, AUTHORIZATION, CONTENT_TYPE, NEW_NAME] = [1, 4, 23, 31, 0] as const;
/** Sections 6.1 and 6.2.1. */
const [INDEXED, ADDED] = [0x80, 0x40] as const;

interface Field {
  /** The index of the name, or `NEW_NAME`. */
  readonly index: number;
  readonly name: string;
  readonly value: string;
}

/** For one connection. It never fills the table, which has 4 KiB. */
export class RequestFields {
  readonly #places = new Map<string, number>();
  readonly #common: readonly Field[];
  readonly #scheme: number;

  constructor(authority: string, isSecure = false, token?: string) {
    this.#scheme = isSecure ? SCHEME_HTTPS : SCHEME_HTTP;
    this.#common = [
      { index: AUTHORITY, name: ':authority', value: authority },
      { index: CONTENT_TYPE, name: 'content-type', value: 'application/grpc' },
      { index: NEW_NAME, name: 'te', value: 'trailers' },
      ...(token === undefined ? [] : [bearer(token)]),
    ];
  }

  /** Returns a header block for the next request. */
  block(path: string): Buffer {
    const bytes = [INDEXED | METHOD_POST, INDEXED | this.#scheme];
    this.#push(bytes, { index: PATH, name: ':path', value: path });
    for (const field of this.#common) this.#push(bytes, field);
    return Buffer.from(bytes);
  }

  #push(bytes: number[], { index, name, value }: Field): void {
    const key = `${name} ${value}`;
    const place = this.#places.get(key);
    if (place !== undefined) {
      bytes.push(INDEXED | (DYNAMIC_FIRST + this.#places.size - 1 - place));
      return;
    }
    this.#places.set(key, this.#places.size);
    bytes.push(ADDED | index);
    if (index === NEW_NAME) bytes.push(name.length, ...Buffer.from(name, 'latin1'));
    bytes.push(...lengthOf(value), ...Buffer.from(value, 'latin1'));
  }
}

function bearer(token: string): Field {
  return { index: AUTHORIZATION, name: 'authorization', value: `Bearer ${token}` };
}

function lengthOf({ length }: string): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES_MAX);
  return bytes.subarray(0, putInteger(bytes, 0, { first: 0, prefixBits: 7, value: length }));
}
