/** One chunk from another agent. Whatever it sends, the request ends in time, and its bytes have room. */
import type { Agent, IncomingMessage } from 'node:http';
import { SECRET_HEADER, type KnownPeer } from '@tinkerbell/images';
import { messageOf, releasePiece } from '@tinkerbell/platform-contract';
import { eachPiece } from '../chunked/each-piece.ts';
import { CHUNKS_PATH } from './peer-server.ts';

/** Not imported: platform/node/src/node-http.ts gives the reason. */
const nodeHttp = process.getBuiltinModule('node:http');

/** To connect, and until the first byte. */
const ANSWER_MS = 2000;
const SLOW_BYTES_PER_S = 1024 * 1024;
const HEADER_BYTES_MAX = 2048;
/** A peer that ends or is busy says so with one of these. It is asked for other chunks later. */
const NOT_NOW = [403, 404, 503];

export type Fetched =
  | { readonly kind: 'bytes'; readonly length: number }
  | { readonly kind: 'busy' }
  | { readonly kind: 'wrong'; readonly reason: string };

export interface PeerRequest {
  readonly peer: KnownPeer;
  /** Of the chunk. */
  readonly number: number;
  readonly diskLength: number;
  readonly target: Uint8Array;
  readonly secret: string;
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** Connections are kept, because a peer sends many chunks. */
export function peerConnections(): Agent {
  return new nodeHttp.Agent({ keepAlive: true, maxSockets: 4 });
}

export async function fetchFromPeer(request: PeerRequest): Promise<Fetched> {
  const allowedMs = ANSWER_MS + Math.ceil((request.diskLength * 1000) / SLOW_BYTES_PER_S);
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(allowedMs)]);
  try {
    const response = await respond(request, signal);
    try {
      return await bodyOf(response, request.target);
    } finally {
      if (!response.complete) response.destroy();
    }
  } catch (error) {
    const reason = signal.aborted ? `sent too little in ${allowedMs} ms` : messageOf(error);
    return { kind: 'wrong', reason };
  }
}

function respond(
  { peer: { address, port }, number, secret, agent }: PeerRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `${CHUNKS_PATH}${number}`;
    const headers = { [SECRET_HEADER]: secret };
    const limits = { maxHeaderSize: HEADER_BYTES_MAX, agent, signal };
    nodeHttp.get({ host: address, port, path, headers, ...limits }, resolve).on('error', reject);
  });
}

async function bodyOf(response: IncomingMessage, target: Uint8Array): Promise<Fetched> {
  const status = response.statusCode ?? 0;
  if (NOT_NOW.includes(status)) {
    response.destroy();
    return { kind: 'busy' };
  }
  const announced = Number(response.headers['content-length'] ?? Number.NaN);
  if (status !== 200 || !(announced > 0 && announced <= target.length))
    return { kind: 'wrong', reason: `answered ${status} with ${announced} bytes` };
  let length = 0;
  await eachPiece(response, (piece) => {
    if (length + piece.length > announced) throw new Error('sent more than announced');
    target.set(piece, length);
    length += piece.length;
    releasePiece(piece);
  });
  if (length < announced) return { kind: 'wrong', reason: `sent ${length} of ${announced} bytes` };
  return { kind: 'bytes', length };
}
