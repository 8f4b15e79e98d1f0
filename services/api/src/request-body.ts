import type { HttpRequest } from '@tinkerbell/platform-contract';
import { toJson, parseYaml } from '@tinkerbell/yaml';
import { ApiError } from './api-error.ts';

/** The limit of Kubernetes' own API server. */
export const BODY_BYTES_LIMIT = 3 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body as JSON, read from JSON or YAML; undefined when there is none. Throws an ApiError. */
export async function readBody(request: HttpRequest): Promise<unknown> {
  const text = textOf(await bytesOf(request));
  if (text === '') return undefined;
  if (/yaml/.test(mediaTypeOf(request))) return fromYaml(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new ApiError('BadRequest', `the body is not JSON: ${(thrown as Error).message}`);
  }
}

/** `application/json` of `application/json; charset=utf-8`. */
export function mediaTypeOf(request: HttpRequest): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

async function bytesOf(request: HttpRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.chunks?.() ?? request.body ?? []) {
    size += chunk.length;
    if (size > BODY_BYTES_LIMIT)
      throw new ApiError('RequestEntityTooLarge', `the body is larger than ${BODY_BYTES_LIMIT} bytes`);
    chunks.push(chunk);
  }
  const [only = new Uint8Array(), ...more] = chunks;
  return more.length === 0 ? only : Buffer.concat(chunks);
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('BadRequest', 'the body is not UTF-8 text');
  }
}

function fromYaml(text: string): unknown {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    const { line, column } = parsed.error.position;
    throw new ApiError(
      'BadRequest',
      `the body is not YAML: line ${line}, column ${column}: ${parsed.error.message}`,
    );
  }
  const [document, ...more] = parsed.documents;
  if (document === undefined || more.length > 0)
    throw new ApiError('BadRequest', 'the body must be one YAML document');
  return toJson(document);
}
