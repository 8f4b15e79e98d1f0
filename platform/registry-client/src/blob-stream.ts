/** Streams a blob, and resumes it after a break, from the next endpoint if necessary. */
import type { IncomingMessage } from 'node:http';
import type { Descriptor } from '@tinkerbell/oci';
import { delay, PlatformError, type Clock, type Random } from '@tinkerbell/platform-contract';
import { DigestCheck } from './digest-check.ts';
import type { EndpointSession } from './endpoint-session.ts';
import { connectionFailure, failure, mayPass, statusFailure } from './registry-failure.ts';

/** Attempts at one endpoint without this much progress. Otherwise a server that sends one byte at a time would never end. */
const ATTEMPTS_MAX = 5;
const PROGRESS_BYTES = 1024 * 1024;
const BACKOFF_FIRST_MS = 250;

export interface BlobRequest {
  readonly sessions: readonly EndpointSession[];
  readonly repository: string;
  readonly descriptor: Descriptor;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
}

/** Yields the bytes in order, each once. Fails with a PlatformError before its end unless size and digest are right. */
export async function* streamBlob(request: BlobRequest): AsyncGenerator<Buffer, void> {
  const { descriptor } = request;
  const check = new DigestCheck(descriptor.digest);
  let held: Buffer | undefined;
  let last: PlatformError | undefined;
  for (const session of request.sessions) {
    try {
      for await (const chunk of fromEndpoint(session, request, check)) {
        // The last chunk is held until the digest is known.
        if (held !== undefined) yield held;
        held = chunk;
      }
      const problem = check.problem();
      if (problem !== undefined) throw new Damaged('damaged', textOf(session, request, problem));
      if (held !== undefined) yield held;
      return;
    } catch (thrown) {
      if (!(thrown instanceof PlatformError) || thrown instanceof Damaged) throw thrown;
      if (request.signal?.aborted) throw thrown;
      last = thrown;
    }
  }
  throw last ?? new PlatformError('unavailable', `no registry has ${descriptor.digest}`);
}

/** The bytes so far are wrong, so that no other endpoint can continue them. */
class Damaged extends PlatformError {}

function textOf(session: EndpointSession, request: BlobRequest, problem: string): string {
  return failure('damaged', session.subjectOf({ what: whatOf(request) }), problem).message;
}

function whatOf({ repository, descriptor }: BlobRequest): string {
  return `the blob ${descriptor.digest} of ${repository}`;
}

async function* fromEndpoint(
  session: EndpointSession,
  request: BlobRequest,
  check: DigestCheck,
): AsyncGenerator<Buffer, void> {
  let attempts = 0;
  for (;;) {
    const countedFrom = check.bytes;
    let problem: PlatformError;
    try {
      yield* oneAttempt(session, request, check);
      return;
    } catch (thrown) {
      problem = connectionFailure(session.subjectOf({ what: whatOf(request) }), thrown);
      if (isFinal(problem, request)) throw problem;
      // The connection broke after the last byte.
      if (check.bytes > 0 && check.bytes === request.descriptor.size) return;
    }
    attempts = check.bytes - countedFrom >= PROGRESS_BYTES ? 1 : attempts + 1;
    if (attempts >= ATTEMPTS_MAX) throw problem;
    const longest = BACKOFF_FIRST_MS * 2 ** attempts;
    await delay(request.clock, longest * (0.5 + request.random.fraction() / 2), request.signal);
  }
}

/** Returns when the whole blob has arrived. */
async function* oneAttempt(
  session: EndpointSession,
  request: BlobRequest,
  check: DigestCheck,
): AsyncGenerator<Buffer, void> {
  const { size } = request.descriptor;
  for await (const chunk of bodyFrom(session, request, check.bytes)) {
    if (check.bytes + chunk.length > size)
      throw new Damaged('damaged', textOf(session, request, `it is longer than ${size} bytes`));
    check.add(chunk);
    yield chunk;
  }
  if (check.bytes === size) return;
  const ended = `it ended after ${check.bytes} of ${size} bytes`;
  throw failure('unavailable', session.subjectOf({ what: whatOf(request) }), ended);
}

function isFinal(problem: PlatformError, { signal }: BlobRequest): boolean {
  return problem.code !== 'unavailable' || problem instanceof Final || signal?.aborted === true;
}

/** Another attempt would end the same way. */
class Final extends PlatformError {}

async function* bodyFrom(
  session: EndpointSession,
  request: BlobRequest,
  from: number,
): AsyncGenerator<Buffer, void> {
  const { descriptor, repository, signal } = request;
  const what = whatOf(request);
  const answer = await session.send({
    repository,
    path: `blobs/${descriptor.digest}`,
    what,
    headers: from === 0 ? {} : { range: `bytes=${from}-` },
    signal,
  });
  const status = answer.statusCode ?? 0;
  if (status !== 200 && !(status === 206 && from > 0)) {
    const problem = await statusFailure(session.subjectOf({ what }), answer);
    throw mayPass(status) ? problem : new Final(problem.code, problem.message);
  }
  const skip = skippedBytes(answer, from);
  if (skip === undefined) {
    answer.destroy();
    throw new Final('unavailable', textOf(session, request, 'it sent a different range than requested'));
  }
  yield* after(answer, skip);
}

/** A server without ranges sends the whole blob again. The digest shows whether it is the same. */
function skippedBytes(answer: IncomingMessage, from: number): number | undefined {
  if (answer.statusCode === 200) return from;
  const range = /^bytes (\d+)-/.exec(answer.headers['content-range'] ?? '');
  return Number(range?.[1]) === from ? 0 : undefined;
}

async function* after(answer: IncomingMessage, skip: number): AsyncGenerator<Buffer, void> {
  let left = skip;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (chunk.length > left) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
