/**
 * A program of its own: downloads one file over and over with many clients at once, and prints the seconds it took. Each
 * client has an address of its own and each download a port; it asks for a block size and a window, and acknowledges as
 * RFC 1350, 2348 and 7440 say.
 *
 *   tftp-client.ts '{"address":"127.0.0.1","file":"f","bytes":1048576,"windowSize":1,"clients":50,"repeats":4}'
 *
 * It must be faster than every server, or it is what gets measured: system calls without an event loop between, and packets
 * that one send cut are taken as the kernel has them (UDP_GRO). Loopback would else cut them in the time of the server, where a
 * real one has a network card for it.
 */
import { createLoadSockets, type LoadSockets } from './load-sockets.ts';

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
const OPCODE = { data: 3, acknowledge: 4, error: 5, optionsAcknowledged: 6 } as const;

interface Transfer {
  readonly client: number;
  readonly socket: number;
  /** The server's port for this transfer, once known. */
  port: number;
  blockBytes: number;
  windowSize: number;
  /** Blocks received in order. */
  blocks: number;
  /** Of them, acknowledged. */
  acknowledged: number;
  received: number;
  /** Sends without an answer. */
  silent: number;
  heardMs: number;
}

interface Load {
  readonly settings: TftpLoad;
  readonly sockets: LoadSockets;
  readonly request: Buffer;
  readonly transfers: Map<number, Transfer>;
  readonly repeatsLeft: number[];
  resent: number;
}

async function main(settings: TftpLoad): Promise<void> {
  const load: Load = {
    settings,
    sockets: await createLoadSockets(settings.address),
    request: requestBytes(settings),
    transfers: new Map(),
    repeatsLeft: Array.from({ length: settings.clients }, () => settings.repeats),
    resent: 0,
  };
  const startedMs = performance.now();
  for (let client = 0; client < settings.clients; client += 1) begin(load, client);
  while (load.transfers.size > 0) {
    load.sockets.receive(RESEND_MS, (socket, bytes, port) => {
      const transfer = load.transfers.get(socket);
      if (transfer !== undefined) onPacket(load, transfer, { bytes, port });
    });
    resendToSilent(load);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  process.stdout.write(`${JSON.stringify({ seconds, resent: load.resent })}\n`);
}

/** The client's next download, if one is left, from an address of the client's own: servers limit what one address may have at once. */
function begin(load: Load, client: number): void {
  const left = load.repeatsLeft[client] ?? 0;
  if (left === 0) return;
  load.repeatsLeft[client] = left - 1;
  const socket = load.sockets.open(`127.0.1.${client + 1}`);
  const counts = { blocks: 0, acknowledged: 0, received: 0, silent: 0 };
  load.transfers.set(socket, {
    client,
    socket,
    port: 0,
    blockBytes: 512,
    windowSize: 1,
    ...counts,
    heardMs: performance.now(),
  });
  load.sockets.send(socket, load.request, PORT);
}

function onPacket(load: Load, transfer: Transfer, { bytes, port }: { bytes: Buffer; port: number }): void {
  if (transfer.port !== 0 && port !== transfer.port) return;
  transfer.heardMs = performance.now();
  transfer.silent = 0;
  const outcome = take(transfer, bytes, port);
  if (outcome === 'wait') return;
  if (outcome === 'error') throw new Error(`the server says ${bytes.toString('latin1', 4)}`);
  acknowledge(load, transfer);
  if (outcome !== 'last') return;
  const { bytes: expected } = load.settings;
  if (transfer.received !== expected) throw new Error(`${transfer.received} of ${expected} bytes came`);
  load.transfers.delete(transfer.socket);
  load.sockets.close(transfer.socket);
  begin(load, transfer.client);
}

let lookedMs = 0;

function resendToSilent(load: Load): void {
  const now = performance.now();
  if (now - lookedMs < RESEND_MS / 4) return;
  lookedMs = now;
  for (const transfer of load.transfers.values()) {
    if (now - transfer.heardMs < RESEND_MS) continue;
    transfer.heardMs = now;
    transfer.silent += 1;
    load.resent += 1;
    if (transfer.silent > SILENCE_MAX) throw new Error(`${load.settings.address} is silent`);
    if (transfer.port === 0) load.sockets.send(transfer.socket, load.request, PORT);
    else acknowledge(load, transfer);
  }
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

const acknowledgement = Buffer.from([0, OPCODE.acknowledge, 0, 0]);

function acknowledge({ sockets }: Load, transfer: Transfer): void {
  transfer.acknowledged = transfer.blocks;
  acknowledgement.writeUInt16BE(transfer.blocks & 0xffff, 2);
  sockets.send(transfer.socket, acknowledgement, transfer.port);
}

function requestBytes({ file, windowSize }: TftpLoad): Buffer {
  const window = windowSize === 1 ? [] : ['windowsize', String(windowSize)];
  const words = [file, 'octet', 'blksize', String(BLOCK_BYTES), ...window];
  return Buffer.from(`\0\u0001${words.join('\0')}\0`, 'latin1');
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as TftpLoad);
