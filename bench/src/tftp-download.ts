/** The client side of one TFTP download: RFC 1350, 2347, 2348 and 7440. */
import type { LoadSockets } from './load-sockets.ts';

export const TFTP_PORT = 69;
const BLOCK_BYTES = 1468;
const OPCODE = { data: 3, acknowledge: 4, error: 5, optionsAcknowledged: 6 } as const;

export interface Download {
  readonly socket: number;
  /** The server's port for this download, once known. */
  port: number;
  blockBytes: number;
  windowSize: number;
  /** Blocks received in order. */
  blocks: number;
  /** The number of acknowledged blocks among them. */
  acknowledged: number;
  received: number;
}

export function newDownload(socket: number): Download {
  return { socket, port: 0, blockBytes: 512, windowSize: 1, blocks: 0, acknowledged: 0, received: 0 };
}

/** Handles a packet from `port`. */
export function takePacket(
  download: Download,
  bytes: Buffer,
  port: number,
): 'wait' | 'acknowledge' | 'last' | 'error' {
  switch (bytes.readUInt16BE(0)) {
    case OPCODE.optionsAcknowledged:
      if (download.blocks > 0) return 'wait';
      download.port = port;
      readOptions(download, bytes);
      return 'acknowledge';
    case OPCODE.data:
      download.port = port;
      return takeData(download, bytes);
    case OPCODE.error:
      return 'error';
    default:
      return 'wait';
  }
}

function takeData(download: Download, bytes: Buffer): 'wait' | 'acknowledge' | 'last' {
  const isNext = bytes.readUInt16BE(2) === ((download.blocks + 1) & 0xffff);
  // A gap in a window: the blocks that arrived in order are acknowledged, and the server continues from there
  // (RFC 7440 section 4).
  if (!isNext) return download.blocks > download.acknowledged ? 'acknowledge' : 'wait';
  download.blocks += 1;
  download.received += bytes.length - 4;
  if (bytes.length - 4 < download.blockBytes) return 'last';
  return download.blocks - download.acknowledged >= download.windowSize ? 'acknowledge' : 'wait';
}

function readOptions(download: Download, bytes: Buffer): void {
  const words = bytes.toString('latin1', 2).split('\0');
  for (let index = 0; index + 1 < words.length; index += 2) {
    const name = words[index]?.toLowerCase();
    if (name === 'blksize') download.blockBytes = Number(words[index + 1]);
    if (name === 'windowsize') download.windowSize = Number(words[index + 1]);
  }
}

const acknowledgement = Buffer.from([0, OPCODE.acknowledge, 0, 0]);

/** Acknowledges all blocks that arrived in order. */
export function acknowledge(sockets: Pick<LoadSockets, 'send'>, download: Download): void {
  download.acknowledged = download.blocks;
  acknowledgement.writeUInt16BE(download.blocks & 0xffff, 2);
  sockets.send(download.socket, acknowledgement, download.port);
}

/** A read request with the options that boot firmware sends. */
export function requestBytes(file: string, windowSize: number): Buffer {
  const window = windowSize === 1 ? [] : ['windowsize', String(windowSize)];
  const words = [file, 'octet', 'blksize', String(BLOCK_BYTES), ...window];
  return Buffer.from(`\0\u0001${words.join('\0')}\0`, 'latin1');
}
