/** The OpenAPI documents, built once for the served kinds and in many turns of the event loop, because each takes several milliseconds. */
import { inTurns } from '@tinkerbell/platform-contract';
import type { Kind } from '@tinkerbell/resources';
import { swaggerJson, swaggerOf } from './openapi-v2.ts';
import { isOpenApiV3, openApiDocument } from './openapi-v3.ts';
import { SWAGGER_PROTOBUF, swaggerProtobuf } from './swagger-protobuf.ts';

export interface Described {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

const made = new WeakMap<readonly Kind[], Map<string, Promise<Described>>>();

/** Returns the document at an `/openapi/` path; undefined if there is none. `accept` may request Protocol Buffers. */
export function described(
  path: string,
  kinds: readonly Kind[],
  accept: string,
): Promise<Described> | undefined {
  // Every request comes by here.
  if (!path.startsWith('/openapi/')) return undefined;
  const isV2 = path === '/openapi/v2';
  if (!isV2 && !isOpenApiV3(path, kinds)) return undefined;
  const contentType = isV2 && /protobuf/.test(accept) ? SWAGGER_PROTOBUF : 'application/json';
  let ofKinds = made.get(kinds);
  if (ofKinds === undefined) made.set(kinds, (ofKinds = new Map()));
  const known = ofKinds.get(path + contentType);
  if (known !== undefined) return known;
  const document = inTurns(contentOf(path, kinds, contentType)).then((content) => ({ content, contentType }));
  ofKinds.set(path + contentType, document);
  return document;
}

function* contentOf(
  path: string,
  kinds: readonly Kind[],
  contentType: string,
): Generator<undefined, Uint8Array<ArrayBuffer>> {
  if (contentType === SWAGGER_PROTOBUF) return yield* swaggerProtobuf(yield* swaggerOf(kinds));
  const document =
    path === '/openapi/v2' ? swaggerJson(yield* swaggerOf(kinds)) : yield* openApiDocument(path, kinds);
  yield undefined;
  return new TextEncoder().encode(`${JSON.stringify(document)}\n`);
}
