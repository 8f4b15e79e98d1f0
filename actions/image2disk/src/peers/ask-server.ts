/** Asks the server who else writes the image. */
import type { IncomingMessage } from 'node:http';
import { agentSession } from '@tinkerbell/action-kit';
import {
  PEERS_ANSWER_BYTES_MAX,
  PEERS_PATH,
  readPeersAnswer,
  type PeersAnswer,
  type PeersRequest,
} from '@tinkerbell/images';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

const ANSWER_MS_MAX = 2000;
/** The server does not know peers, or does not want this agent to know them. */
const NEVER = [401, 403, 404, 405];

export class NoPeersHere extends Error {}

/** Rejects with `NoPeersHere` when it makes no sense to ask again, and with another error otherwise. */
export async function askServer(
  imageUrl: URL,
  request: PeersRequest,
  stopped: AbortSignal,
): Promise<PeersAnswer> {
  const url = new URL(PEERS_PATH, imageUrl);
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const response = await post(url, JSON.stringify(request), signal);
  const status = response.statusCode ?? 0;
  if (status !== 200) {
    response.destroy();
    if (NEVER.includes(status)) throw new NoPeersHere(`${url.href} answered ${status}`);
    throw new Error(`${url.href} answered ${status}`);
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > PEERS_ANSWER_BYTES_MAX)
      throw new Error(`${url.href} sent more than ${PEERS_ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return readPeersAnswer(Buffer.concat(parts));
}

function post(url: URL, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...agentSession.headersFor(url) };
    nodeHttp.request(url, { method: 'POST', headers, signal }, resolve).on('error', reject).end(body);
  });
}
