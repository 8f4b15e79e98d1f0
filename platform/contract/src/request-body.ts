/** Reads the body of a request as text or JSON, within a budget that applies before anything else sees the body. */
import { JsonLimitError, JsonReader, readJson, type JsonLimits } from '@tinkerbell/yaml/json';
import { codeOf } from './thrown.ts';
import type { HttpRequest } from './http.ts';
import { inTurns } from './in-turns.ts';
import { releasePiece } from './release-piece.ts';

export interface BodyBudget extends JsonLimits {
  readonly bytes: number;
}

/** `status` is an HTTP status: 413 for a body over the budget, 400 for invalid UTF-8 or JSON. */
export type ReadBody<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** Returns the body as text, empty when the request has none. Reads no more than the budget allows. */
export async function readBodyText(
  request: HttpRequest,
  budget: Pick<BodyBudget, 'bytes'>,
): Promise<ReadBody<string>> {
  const parts: string[] = [];
  const refused = await eachText(request, budget, (part) => void parts.push(part));
  return refused ?? { ok: true, value: await inTurns(joined(parts)) };
}

/** Joining takes a millisecond for a million characters, after a turn that may have decoded as many. */
function* joined(parts: readonly string[]): Generator<undefined, string> {
  yield undefined;
  return parts.join('');
}

/**
 * Returns the value of a body that is JSON, undefined when the request has none or a blank one. It is parsed while it arrives, in many turns of the
 * event loop: the text of a large body as a whole would be memory that the system must clear first, for milliseconds.
 */
export async function readBodyJson(request: HttpRequest, budget: BodyBudget): Promise<ReadBody<unknown>> {
  const reader = new JsonReader(budget);
  let isBlank = true;
  return parsed(async () => {
    const refused = await eachText(request, budget, (part) => {
      isBlank &&= part.trim() === '';
      return reader.keep(part) ? undefined : inTurns(reader.push(part));
    });
    if (refused !== undefined || isBlank) return refused ?? { ok: true, value: undefined };
    return { ok: true, value: reader.shortValue() ?? (await inTurns(reader.end())) };
  });
}

/** Returns the body as bytes, empty when the request has none. Reads no more than the budget allows. */
export async function readBodyBytes(
  request: HttpRequest,
  budget: Pick<BodyBudget, 'bytes'>,
): Promise<ReadBody<Uint8Array>> {
  const chunks: Uint8Array[] = [];
  const refused = await eachChunk(request, budget, (chunk) => void chunks.push(chunk));
  if (refused !== undefined) return refused;
  const value = Buffer.concat(chunks);
  chunks.forEach(releasePiece);
  return { ok: true, value };
}

type Refused = ReadBody<never> & { readonly ok: false };

/** Like `eachChunk`, decoded. */
async function eachText(
  request: HttpRequest,
  budget: Pick<BodyBudget, 'bytes'>,
  take: (part: string) => Promise<void> | undefined,
): Promise<Refused | undefined> {
  const decoder = new BodyDecoder();
  try {
    const refused = await eachChunk(request, budget, (chunk) => {
      const part = decoder.part(chunk);
      releasePiece(chunk);
      return take(part);
    });
    if (refused === undefined) await take(decoder.end());
    return refused;
  } catch (thrown) {
    if (codeOf(thrown) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw thrown;
    return { ok: false, status: 400, message: 'the body is not UTF-8 text' };
  }
}

const wholeText = new TextDecoder('utf-8', { fatal: true });
const laterText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nearly every chunk ends with a whole character. A decoder that waits for the rest of one is created when it is needed. */
class BodyDecoder {
  #waiting: TextDecoder | undefined;
  #isFirst = true;

  /** Throws what a TextDecoder throws. */
  part(chunk: Uint8Array): string {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#waiting !== undefined) return this.#waiting.decode(chunk, { stream: true });
    try {
      return (isFirst ? wholeText : laterText).decode(chunk);
    } catch {
      this.#waiting = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst });
      return this.#waiting.decode(chunk, { stream: true });
    }
  }

  end(): string {
    return this.#waiting?.decode() ?? '';
  }
}

/** Resolves with a refusal when the body is larger than the budget allows. Waits until each chunk is taken. */
async function eachChunk(
  request: HttpRequest,
  { bytes: max }: Pick<BodyBudget, 'bytes'>,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<Refused | undefined> {
  const tooLarge = { ok: false, status: 413, message: `the body is larger than ${max} bytes` } as const;
  if (Number(request.headers.get('content-length') ?? 0) > max) return tooLarge;
  let size = 0;
  for await (const chunk of request.chunks?.() ?? request.body ?? []) {
    size += chunk.length;
    if (size > max) return tooLarge;
    const taking = take(chunk);
    if (taking !== undefined) await taking;
  }
  return undefined;
}

/** Returns the value of JSON text. A long text is parsed in many turns of the event loop. */
export function readJsonText(text: string, limits: JsonLimits): Promise<ReadBody<unknown>> {
  return parsed(async () => ({ ok: true, value: await inTurns(readJson(text, limits)) }));
}

/** Resolves with a refusal when the JSON is invalid or over a limit. */
async function parsed(parse: () => Promise<ReadBody<unknown>>): Promise<ReadBody<unknown>> {
  try {
    return await parse();
  } catch (thrown) {
    if (thrown instanceof JsonLimitError)
      return { ok: false, status: 413, message: `the body has ${thrown.message}` };
    if (thrown instanceof SyntaxError)
      return { ok: false, status: 400, message: `the body is not JSON: ${thrown.message}` };
    throw thrown;
  }
}
