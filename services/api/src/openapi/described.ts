/** The OpenAPI documents, built once for the served kinds, because each takes several milliseconds. */
import type { Kind } from '@tinkerbell/resources';
import { swaggerJson, swaggerOf } from './openapi-v2.ts';
import { openApiDocument } from './openapi-v3.ts';
import { SWAGGER_PROTOBUF, swaggerProtobuf } from './swagger-protobuf.ts';

export interface Described {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

const made = new WeakMap<readonly Kind[], Map<string, Described>>();

/** Returns the document at an `/openapi/` path; undefined if there is none. `accept` may request Protocol Buffers. */
export function described(path: string, kinds: readonly Kind[], accept: string): Described | undefined {
  if (!path.startsWith('/openapi/')) return undefined;
  const contentType =
    path === '/openapi/v2' && /protobuf/.test(accept) ? SWAGGER_PROTOBUF : 'application/json';
  let ofKinds = made.get(kinds);
  if (ofKinds === undefined) made.set(kinds, (ofKinds = new Map()));
  const known = ofKinds.get(path + contentType);
  if (known !== undefined) return known;
  const content = contentOf(path, kinds, contentType);
  if (content === undefined) return undefined;
  const document = { content, contentType };
  ofKinds.set(path + contentType, document);
  return document;
}

function contentOf(
  path: string,
  kinds: readonly Kind[],
  contentType: string,
): Uint8Array<ArrayBuffer> | undefined {
  if (contentType === SWAGGER_PROTOBUF) return Uint8Array.from(swaggerProtobuf(swaggerOf(kinds)));
  const document = path === '/openapi/v2' ? swaggerJson(swaggerOf(kinds)) : openApiDocument(path, kinds);
  return document === undefined ? undefined : new TextEncoder().encode(`${JSON.stringify(document)}\n`);
}
