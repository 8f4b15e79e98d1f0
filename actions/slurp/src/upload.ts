/** One POST of multipart/form-data (RFC 7578) whose body is a stream. */
import { randomUUID } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { ActionError, agentSession } from '@tinkerbell/action-kit';
import { messageOf } from '@tinkerbell/platform-contract';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

/** A server that accepts nothing for this long has failed. */
const STALL_MS = 60_000;
/** The start of an error page, for the message. */
const ANSWER_CHARACTERS = 300;

export interface Upload {
  readonly url: URL;
  readonly field: string;
  readonly fileName: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** Absent when it is not known before the end. */
  readonly contentBytes: number | undefined;
  readonly signal: AbortSignal;
}

/** @throws ActionError when the server answers with an error, or the connection ends before. */
export async function upload(request: Upload): Promise<void> {
  const boundary = randomUUID();
  const { field, fileName, contentBytes } = request;
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield head;
    yield* request.content;
    yield tail;
  }
  const headers = {
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    ...(contentBytes === undefined ? {} : { 'Content-Length': head.length + contentBytes + tail.length }),
    ...agentSession.headersFor(request.url),
  };
  const response = await send(request, headers, body());
  const status = response.statusCode ?? 0;
  const text = await startOf(response);
  if (status >= 200 && status < 300) return;
  const reason = text === '' ? '' : `: ${JSON.stringify(text)}`;
  throw new ActionError(`${request.url.href} answered ${status}${reason}; the image was not accepted`);
}

async function send(
  { url, signal }: Upload,
  headers: Readonly<Record<string, string | number>>,
  body: AsyncIterable<Uint8Array>,
): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? requestHttps : nodeHttp.request;
  const outgoing: ClientRequest = start(url, { method: 'POST', headers, signal, timeout: STALL_MS });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no progress for ${STALL_MS / 1000} s`)));
  });
  const sent = pipeline(Readable.from(body), outgoing);
  try {
    // A server may answer with an error before it has read everything.
    return await Promise.race([answered, sent.then(() => answered)]);
  } catch (cause) {
    if (cause instanceof ActionError) throw cause;
    if (signal.aborted) throw new ActionError('the upload was stopped at the timeout', { cause });
    throw new ActionError(`cannot upload to ${url.href}: ${messageOf(cause)}`, { cause });
  } finally {
    sent.catch(() => undefined);
    answered.catch(() => undefined);
  }
}

async function startOf(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString('latin1');
      if (text.length > ANSWER_CHARACTERS) break;
    }
  } catch {
    // The status decides.
  }
  return text.slice(0, ANSWER_CHARACTERS).trim();
}
