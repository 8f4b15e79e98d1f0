/**
 * A program of its own: downloads one file over and over with many clients at once, and prints the seconds it took. Each
 * client has an address of its own and each download a port; it asks for a block size and a window, and acknowledges as
 * RFC 1350, 2348 and 7440 say.
 *
 *   tftp-client.ts '{"address":"127.0.0.1","file":"f","bytes":1048576,"windowSize":1,"clients":50,"repeats":4}'
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';

export interface TftpLoad {
  readonly address: string;
  readonly file: string;
  readonly bytes: number;
  readonly windowSize: number;
  readonly clients: number;
  /** How often each client downloads the file. */
  readonly repeats: number;
}

const PORT = 69;
const BLOCK_BYTES = 1468;
const RESEND_MS = 1000;
/** A server that is silent for so many sends is given up. */
const SILENCE_MAX = 8;
const RECEIVE_BUFFER_BYTES = 1024 * 1024;
const OPCODE = { data: 3, acknowledge: 4, error: 5, optionsAcknowledged: 6 } as const;

interface Transfer {
  /** The server's port for this transfer, once known. */
  port: number;
  blockBytes: number;
  windowSize: number;
  /** Blocks received in order. */
  blocks: number;
  /** Of them, acknowledged. */
  acknowledged: number;
  received: number;
}

async function main(load: TftpLoad): Promise<void> {
  const startedMs = performance.now();
  let resent = 0;
  const repeat = async (client: number): Promise<void> => {
    for (let round = 0; round < load.repeats; round += 1) {
      const socket = await openSocket(client);
      resent += await download(socket, load);
      socket.close();
    }
  };
  await Promise.all(Array.from({ length: load.clients }, (_, client) => repeat(client)));
  const seconds = (performance.now() - startedMs) / 1000;
  process.stdout.write(`${JSON.stringify({ seconds, resent })}\n`);
}

/** From an address of the client's own: servers limit what one address may have at once. */
async function openSocket(client: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER_BYTES });
  await new Promise<void>((resolve) => socket.bind(0, `127.0.1.${client + 1}`, resolve));
  return socket;
}

/** Resolves with how often something had to be sent again. */
function download(socket: Socket, load: TftpLoad): Promise<number> {
  const transfer: Transfer = {
    port: 0,
    blockBytes: 512,
    windowSize: 1,
    blocks: 0,
    acknowledged: 0,
    received: 0,
  };
  const request = requestBytes(load);
  let resent = 0;
  return new Promise((resolve, reject) => {
    let silent = 0;
    const resend = (): void => {
      resent += 1;
      silent += 1;
      if (silent > SILENCE_MAX) return settle(new Error(`${load.address} is silent`));
      if (transfer.port === 0) socket.send(request, PORT, load.address);
      else acknowledge(socket, load.address, transfer);
    };
    const timer = setInterval(resend, RESEND_MS);
    const settle = (error?: Error): void => {
      clearInterval(timer);
      socket.removeAllListeners('message');
      if (error === undefined) resolve(resent);
      else reject(error);
    };
    socket.on('message', (bytes: Buffer, peer: RemoteInfo) => {
      if (transfer.port !== 0 && peer.port !== transfer.port) return;
      timer.refresh();
      silent = 0;
      const outcome = take(transfer, bytes, peer.port);
      if (outcome === 'error') settle(new Error(`the server says ${bytes.toString('latin1', 4)}`));
      if (outcome === 'acknowledge' || outcome === 'last') acknowledge(socket, load.address, transfer);
      if (outcome !== 'last') return;
      const isWhole = transfer.received === load.bytes;
      settle(isWhole ? undefined : new Error(`${transfer.received} of ${load.bytes} bytes came`));
    });
    socket.send(request, PORT, load.address);
  });
}

function take(transfer: Transfer, bytes: Buffer, port: number): 'wait' | 'acknowledge' | 'last' | 'error' {
  switch (bytes.readUInt16BE(0)) {
    case OPCODE.optionsAcknowledged:
      if (transfer.blocks > 0) return 'wait';
      transfer.port = port;
      readOptions(transfer, bytes);
      return 'acknowledge';
    case OPCODE.data:
      transfer.port = port;
      return takeData(transfer, bytes);
    case OPCODE.error:
      return 'error';
    default:
      return 'wait';
  }
}

function takeData(transfer: Transfer, bytes: Buffer): 'wait' | 'acknowledge' | 'last' {
  const isNext = bytes.readUInt16BE(2) === ((transfer.blocks + 1) & 0xffff);
  // A gap in a window: what came in order is acknowledged, and the server goes on from there (RFC 7440 section 4).
  if (!isNext) return transfer.blocks > transfer.acknowledged ? 'acknowledge' : 'wait';
  transfer.blocks += 1;
  transfer.received += bytes.length - 4;
  if (bytes.length - 4 < transfer.blockBytes) return 'last';
  return transfer.blocks - transfer.acknowledged >= transfer.windowSize ? 'acknowledge' : 'wait';
}

function readOptions(transfer: Transfer, bytes: Buffer): void {
  const words = bytes.toString('latin1', 2).split('\0');
  for (let index = 0; index + 1 < words.length; index += 2) {
    const name = words[index]?.toLowerCase();
    if (name === 'blksize') transfer.blockBytes = Number(words[index + 1]);
    if (name === 'windowsize') transfer.windowSize = Number(words[index + 1]);
  }
}

function acknowledge(socket: Socket, address: string, transfer: Transfer): void {
  transfer.acknowledged = transfer.blocks;
  const bytes = Buffer.from([0, OPCODE.acknowledge, (transfer.blocks >> 8) & 0xff, transfer.blocks & 0xff]);
  socket.send(bytes, transfer.port, address);
}

function requestBytes({ file, windowSize }: TftpLoad): Buffer {
  const window = windowSize === 1 ? [] : ['windowsize', String(windowSize)];
  const words = [file, 'octet', 'blksize', String(BLOCK_BYTES), ...window];
  return Buffer.from(`\0\u0001${words.join('\0')}\0`, 'latin1');
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as TftpLoad);
