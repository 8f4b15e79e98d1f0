/**
 * Reads one HTTP download as one continuous sequence of bytes. A dropped connection is replaced with a range
 * request from the next byte, and `If-Range` ensures that it is still the same image.
 */
import type { IncomingMessage } from 'node:http';

import { ActionError } from './action-error.ts';
import { DroppedError, getFollowing, isDropped, refusedBy, validatorOf } from './http-get.ts';
import { delay, type Clock, type Log } from '@tinkerbell/platform-contract';

const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 8000;

export interface DownloadRequest {
  readonly url: URL;
  /** The download fails after this time without a byte of progress. */
  readonly retryForMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** The end of the error after the last attempt. Default: the variables of image2disk. */
  readonly advice?: string;
  /** Called when the server has reported the image's size. */
  onTotal(bytes: number): void;
}

/** The facts that a resumed download must still match. */
interface Identity {
  readonly validator: string | undefined;
  readonly totalBytes: number | undefined;
}

/**
 * Yields the bytes of `url`, in order, each once.
 *
 * @throws ActionError when the server refuses, when the image changed during the download, or when no byte
 * arrived for `retryForMs`.
 */
export async function* downloadImage(request: DownloadRequest): AsyncGenerator<Buffer, void> {
  let received = 0;
  let identity: Identity | undefined;
  let lastProgressMs = request.clock.monotonicMs();
  let backoffMs = BACKOFF_FIRST_MS;
  for (;;) {
    try {
      const response = await open(request, received, identity);
      identity ??= identify(response, request);
      for await (const chunk of bodyFrom(response, received)) {
        received += chunk.length;
        lastProgressMs = request.clock.monotonicMs();
        backoffMs = BACKOFF_FIRST_MS;
        yield chunk;
      }
      if (identity.totalBytes === undefined || received >= identity.totalBytes) return;
      throw new DroppedError(`the server ended after ${received} of ${identity.totalBytes} bytes`);
    } catch (error) {
      if (request.signal.aborted)
        throw new ActionError('the download was stopped at the timeout', { cause: error });
      if (!isDropped(error)) throw error;
      const quietMs = request.clock.monotonicMs() - lastProgressMs;
      if (quietMs + backoffMs > request.retryForMs) throw givenUp(request, error, received);
      request.log.warn('download interrupted, resuming', { at: received, reason: error.message });
      await delay(request.clock, backoffMs, request.signal);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
    }
  }
}

async function open(
  request: DownloadRequest,
  received: number,
  identity: Identity | undefined,
): Promise<IncomingMessage> {
  const headers: Record<string, string> = {};
  if (received > 0) {
    headers['Range'] = `bytes=${received}-`;
    if (identity?.validator !== undefined) headers['If-Range'] = identity.validator;
  }
  const { response, url } = await getFollowing(request.url, headers, request.signal);
  const status = response.statusCode ?? 0;
  if (received > 0 && identity !== undefined) {
    const advice = request.advice ?? 'The disk is half written: run the action again';
    assertSame(response, identity, { url, received, advice });
  } else if (status !== 200) throw refusedBy(url, status);
  return response;
}

function identify(response: IncomingMessage, request: DownloadRequest): Identity {
  const length = response.headers['content-length'];
  const totalBytes = length === undefined ? undefined : Number(length);
  if (totalBytes !== undefined) request.onTotal(totalBytes);
  return { validator: validatorOf(response), totalBytes };
}

function assertSame(
  response: IncomingMessage,
  identity: Identity,
  at: { readonly url: URL; readonly received: number; readonly advice: string },
): void {
  const status = response.statusCode ?? 0;
  const problem = sameProblem(response, identity, at.received);
  if (problem === undefined) return;
  response.destroy();
  if (status >= 400 && status !== 416) throw refusedBy(at.url, status);
  throw new ActionError(`${at.url.href} cannot be resumed at byte ${at.received}: ${problem}. ${at.advice}`);
}

function sameProblem(response: IncomingMessage, identity: Identity, received: number): string | undefined {
  const validator = validatorOf(response);
  const known = identity.validator !== undefined && validator !== undefined;
  if (known && validator !== identity.validator) return 'the image changed on the server';
  if (response.statusCode === 206) return rangeProblem(response, identity, received);
  if (response.statusCode !== 200) return `the server answered ${response.statusCode}`;
  // The server does not support ranges. The same validator means the same bytes, so skip those already
  // written.
  return known ? undefined : 'the server sent the whole image again and cannot prove that it is the same';
}

function rangeProblem(response: IncomingMessage, identity: Identity, received: number): string | undefined {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers['content-range'] ?? '');
  if (Number(range?.[1]) !== received) return 'the server sent a different range than requested';
  const total = range?.[2];
  if (total === '*' || identity.totalBytes === undefined) return undefined;
  return Number(total) === identity.totalBytes ? undefined : 'the image changed its size';
}

/**
 * Returns the response's body from byte `received` on. A whole image that is sent again is skipped up to
 * there.
 */
async function* bodyFrom(response: IncomingMessage, received: number): AsyncGenerator<Buffer, void> {
  let skip = response.statusCode === 200 ? received : 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (chunk.length <= skip) {
      skip -= chunk.length;
      continue;
    }
    yield skip === 0 ? chunk : chunk.subarray(skip);
    skip = 0;
  }
}

function givenUp(request: DownloadRequest, error: Error, received: number): ActionError {
  const seconds = Math.round(request.retryForMs / 1000);
  return new ActionError(
    `${request.url.href}: ${error.message}; gave up at byte ${received} after ${seconds} s without progress. ` +
      (request.advice ??
        'Check the image server and the network, or set RETRY_ENABLED=true and RETRY_DURATION_MINUTES'),
    { cause: error },
  );
}
