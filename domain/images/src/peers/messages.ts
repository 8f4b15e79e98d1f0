/** What an agent that writes a disk image asks the server, and the answer: `POST /v1/registry/peers`. */
import { isDigest, listAt, OciError, parseJson, readDigest, sizeAt, type Digest } from '@tinkerbell/oci';
import { readRuns, type ChunkRun } from './chunk-runs.ts';

export const PEERS_PATH = '/v1/registry/peers';
/** An agent asks so often. */
export const ASK_EVERY_MS = 1000;
/** More would be asked too seldom to matter. */
export const PEERS_MAX = 16;
/** Room for all runs. */
export const PEERS_REQUEST_BYTES_MAX = 8 * 1024;
export const PEERS_ANSWER_BYTES_MAX = 128 * 1024;
/** The client shows the secret of the image in it. */
export const SECRET_HEADER = 'x-tinkerbell-image-secret';

const PORT_MIN = 1024;
const PORT_MAX = 65_535;
/** More than a link carries between two requests. */
const RECEIVED_BYTES_MAX = 2 ** 40;
const ADDRESS_CHARACTERS_MAX = 45;

export interface PeersRequest {
  /** Of the manifest. */
  readonly image: Digest;
  /** Where the agent serves its chunks. */
  readonly port: number;
  readonly have: readonly ChunkRun[];
  /** What it got from peers since its last request. */
  readonly receivedBytes: number;
}

export interface OfferedPeer {
  readonly address: string;
  readonly port: number;
  readonly have: readonly ChunkRun[];
}

export interface PeersAnswer {
  /** Where to begin, as a part of the image: at least 0, and below 1. */
  readonly place: number;
  /** 32 bytes as hexadecimal digits. */
  readonly secret: string;
  readonly peers: readonly OfferedPeer[];
}

/** Throws an `OciError` that names the field. */
export function readPeersRequest(body: Uint8Array): PeersRequest {
  const json = parseJson(body, 'body');
  const image = json['image'];
  if (typeof image !== 'string') throw new OciError('image', 'must be the digest of a manifest');
  const receivedBytes =
    json['receivedBytes'] === undefined ? 0 : sizeAt(json['receivedBytes'], 'receivedBytes');
  if (receivedBytes > RECEIVED_BYTES_MAX)
    throw new OciError('receivedBytes', `is ${receivedBytes}; at most ${RECEIVED_BYTES_MAX} is possible`);
  return {
    image: sha256At(image),
    port: portAt(json['port'], 'port'),
    have: readRuns(json['have'], 'have'),
    receivedBytes,
  };
}

/** Throws an `OciError` that names the field. */
export function readPeersAnswer(body: Uint8Array): PeersAnswer {
  const { place, secret, peers } = parseJson(body, 'body');
  if (typeof place !== 'number' || !(place >= 0 && place < 1))
    throw new OciError('place', 'must be a number from 0 up to 1');
  if (typeof secret !== 'string' || !/^[0-9a-f]{64}$/.test(secret))
    throw new OciError('secret', 'must be 64 hexadecimal digits');
  const list = listAt(peers, 'peers', PEERS_MAX);
  return { place, secret, peers: list.map((one, index) => peerAt(one, `peers[${index}]`)) };
}

function peerAt(value: unknown, field: string): OfferedPeer {
  if (typeof value !== 'object' || value === null) throw new OciError(field, 'must be an object');
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { address, port, have } = fields;
  if (
    typeof address !== 'string' ||
    address.length > ADDRESS_CHARACTERS_MAX ||
    !/^[0-9a-f.:]+$/.test(address)
  )
    throw new OciError(`${field}.address`, 'must be an IP address');
  return { address, port: portAt(port, `${field}.port`), have: readRuns(have, `${field}.have`) };
}

function sha256At(text: string): Digest {
  const digest = readDigest(text, 'image');
  if (isDigest(digest) && digest.startsWith('sha256:')) return digest;
  throw new OciError('image', 'must be a SHA-256: write sha256: and 64 hexadecimal digits');
}

function portAt(value: unknown, field: string): number {
  const port = sizeAt(value, field);
  if (port >= PORT_MIN && port <= PORT_MAX) return port;
  throw new OciError(field, `is ${port}; it must be from ${PORT_MIN} to ${PORT_MAX}`);
}
