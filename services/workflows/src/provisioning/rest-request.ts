/** Combines path, query and body into the one request that the call's schema describes. */
import type { Operation } from '@tinkerbell/provisioning';
import {
  readBodyJson,
  type BodyBudget,
  type HttpRequest,
  type ReadBody,
} from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { HttpProblem } from './problem-response.ts';
import { RefusedRequest } from './refused-request.ts';

/** The same limit as the API for objects. The schemas nest five deep, and a job has at most a hundred parameters. */
const BODY_BUDGET: BodyBudget = { bytes: 2 * 1024 * 1024, nodes: 10_000, depth: 20, keys: 1000 };

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
  if (!isRecord(body)) throw new HttpProblem(400, 'the body must be a JSON object');
  for (const [field, value] of Object.entries(inPath)) refuseOther(field, value, body);
  return { ...body, ...inPath };
}

function refuseOther(field: string, inPath: string, body: Readonly<Record<string, unknown>>): void {
  const inBody = body[field] ?? inPath;
  if (inBody === inPath) return;
  const message = `${field}: the path says ${JSON.stringify(inPath)}; omit it from the body`;
  throw new RefusedRequest({ code: 'invalid-argument', message, field });
}

function queryOf(request: HttpRequest): Record<string, string | number> {
  const query = [...new URL(request.url).searchParams];
  return Object.fromEntries(
    query.map(([name, text]) => [name, name === 'page_size' && /^\d{1,9}$/.test(text) ? Number(text) : text]),
  );
}

/** Returns undefined when there is none. */
async function bodyOf(request: HttpRequest): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json'))
    throw new HttpProblem(415, `the body must be application/json, not ${type}`);
  return valueOf(await readBodyJson(request, BODY_BUDGET));
}

function valueOf<Value>(read: ReadBody<Value>): Value {
  if (read.ok) return read.value;
  throw new HttpProblem(read.status, read.message);
}
