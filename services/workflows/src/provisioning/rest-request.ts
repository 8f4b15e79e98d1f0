/** What a caller says in path, query and body, as the one request that the schema of the call knows. */
import type { Operation } from '@tinkerbell/provisioning';
import type { HttpRequest } from '@tinkerbell/platform-contract';
import { HttpProblem } from './problem-response.ts';
import { RefusedRequest } from './refused-request.ts';

/** As the API for objects. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

/** Rejects with an HttpProblem or a RefusedRequest. */
export async function requestOf(
  { method, verb }: Operation,
  inPath: Readonly<Record<string, string>>,
  request: HttpRequest,
): Promise<unknown> {
  if (verb === 'get') return { ...queryOf(request), ...inPath };
  const body = await bodyOf(request);
  if (method === 'ApplyConfiguration') return { config: body, ...inPath };
  if (body === undefined) return inPath;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new HttpProblem(400, 'the body must be a JSON object');
  for (const [field, value] of Object.entries(inPath)) refuseOther(field, value, body);
  return { ...body, ...inPath };
}

function refuseOther(field: string, inPath: string, body: object): void {
  const inBody = (body as Record<string, unknown>)[field] ?? inPath;
  if (inBody === inPath) return;
  const message = `${field}: the path says ${JSON.stringify(inPath)}; leave it out of the body`;
  throw new RefusedRequest({ code: 'invalid-argument', message, field });
}

function queryOf(request: HttpRequest): Record<string, string | number> {
  const query = [...new URL(request.url).searchParams];
  return Object.fromEntries(
    query.map(([name, text]) => [name, name === 'page_size' && /^\d{1,9}$/.test(text) ? Number(text) : text]),
  );
}

/** Undefined when there is none. */
async function bodyOf(request: HttpRequest): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json'))
    throw new HttpProblem(415, `the body must be application/json, not ${type}`);
  const text = textOf(await bytesOf(request));
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new HttpProblem(400, `the body is not JSON: ${(thrown as Error).message}`);
  }
}

async function bytesOf(request: HttpRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new HttpProblem(413, `the body is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'the body is not UTF-8 text');
  }
}
