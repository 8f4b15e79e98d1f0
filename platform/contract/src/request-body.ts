/** The body of a request as text or JSON, within a budget that holds before anything else sees it. */
import { JsonLimitError, readJson, type JsonLimits } from '@tinkerbell/yaml/json';
import type { HttpRequest } from './http.ts';
import { inTurns } from './in-turns.ts';

export interface BodyBudget extends JsonLimits {
  readonly bytes: number;
}

/** `status` is of HTTP: 413 for what is over the budget, 400 for what is not UTF-8 or not JSON. */
export type ReadBody<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** The body as text; empty when there is none. Reads no more than the budget allows. */
export async function readBodyText(
  request: HttpRequest,
  { bytes: max }: Pick<BodyBudget, 'bytes'>,
): Promise<ReadBody<string>> {
  const tooLarge = { ok: false, status: 413, message: `the body is larger than ${max} bytes` } as const;
  if (Number(request.headers.get('content-length') ?? 0) > max) return tooLarge;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parts: string[] = [];
  let size = 0;
  try {
    for await (const chunk of request.chunks?.() ?? request.body ?? []) {
      size += chunk.length;
      if (size > max) return tooLarge;
      parts.push(decoder.decode(chunk, { stream: true }));
    }
    parts.push(decoder.decode());
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw thrown;
    return { ok: false, status: 400, message: 'the body is not UTF-8 text' };
  }
  return { ok: true, value: parts.join('') };
}

/** The value of JSON text. A long text is parsed in many turns of the event loop. */
export async function readJsonText(text: string, limits: JsonLimits): Promise<ReadBody<unknown>> {
  try {
    return { ok: true, value: await inTurns(readJson(text, limits)) };
  } catch (thrown) {
    if (thrown instanceof JsonLimitError)
      return { ok: false, status: 413, message: `the body has ${thrown.message}` };
    if (thrown instanceof SyntaxError)
      return { ok: false, status: 400, message: `the body is not JSON: ${thrown.message}` };
    throw thrown;
  }
}
