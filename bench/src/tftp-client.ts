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
import {
  acknowledge,
  newDownload,
  requestBytes,
  takePacket,
  TFTP_PORT,
  type Download,
} from './tftp-download.ts';

export interface TftpLoad {
  readonly address: string;
  readonly file: string;
  readonly bytes: number;
  readonly windowSize: number;
  readonly clients: number;
  /** How often each client downloads the file. */
  readonly repeats: number;
}

const RESEND_MS = 1000;
/** A server that is silent for so many sends is given up. */
const SILENCE_MAX = 8;

interface Transfer extends Download {
  readonly client: number;
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
    request: requestBytes(settings.file, settings.windowSize),
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
  load.transfers.set(socket, { ...newDownload(socket), client, silent: 0, heardMs: performance.now() });
  load.sockets.send(socket, load.request, TFTP_PORT);
}

function onPacket(load: Load, transfer: Transfer, { bytes, port }: { bytes: Buffer; port: number }): void {
  if (transfer.port !== 0 && port !== transfer.port) return;
  transfer.heardMs = performance.now();
  transfer.silent = 0;
  const outcome = takePacket(transfer, bytes, port);
  if (outcome === 'wait') return;
  if (outcome === 'error') throw new Error(`the server says ${bytes.toString('latin1', 4)}`);
  acknowledge(load.sockets, transfer);
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
    if (transfer.port === 0) load.sockets.send(transfer.socket, load.request, TFTP_PORT);
    else acknowledge(load.sockets, transfer);
  }
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as TftpLoad);
