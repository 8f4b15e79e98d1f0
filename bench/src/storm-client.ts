/**
 * Simulates a rack that is switched on. Every client requests an address (through a relay), loads the boot
 * file by TFTP and its script by HTTP, all at once, each from its own address. It is a separate program that
 * reads a plan as JSON and prints the result as JSON. It waits and repeats as firmware does, and a client
 * that firmware would abandon is a failure.
 */
import { connect } from 'node:net';

import { createLoadSockets, type LoadSockets } from './load-sockets.ts';
import { addressesOf, NETWORK } from './machines.ts';
import { quantile } from './rounds.ts';
import { dhcpMessage, messageTypeOf, transactionOf } from './storm-dhcp.ts';
import {
  acknowledge,
  newDownload,
  requestBytes,
  takePacket,
  TFTP_PORT,
  type Download,
} from './tftp-download.ts';

export interface StormPlan {
  readonly serverAddress: string;
  readonly clients: number;
  /**
   * True: all use the address of their router for TFTP and HTTP, as behind NAT. Otherwise each has its own.
   */
  readonly isBehindNat: boolean;
  readonly file: string;
  readonly bytes: number;
}

export const STAGES = ['dhcp', 'tftp', 'script'] as const;
export type Stage = (typeof STAGES)[number];

export interface StormResult {
  readonly seconds: number;
  /** The errors of the clients that failed, each kind with its count. */
  readonly failures: Readonly<Record<string, number>>;
  /** The packets that firmware had to repeat, by stage. */
  readonly resent: Readonly<Record<string, number>>;
  readonly p99Seconds: Readonly<Record<Stage, number>>;
}

/**
 * The PXE specification's waits for an answer to DISCOVER, also used for REQUEST. Each varies by one second
 * (RFC 2131 section 4.1).
 */
const DHCP_WAITS_MS = [4000, 8000, 16_000, 32_000] as const;
/** EDK2's waits for TFTP: six sends. */
const TFTP_WAITS_MS = [4000, 4000, 4000, 4000, 4000, 4000] as const;
const HTTP_WAIT_MS = 60_000;
const HTTP_PORT = 7080;
const DHCP_PORT = 67;
/** The options that UEFI firmware requests. BIOS and older UEFI do not. */
const WINDOW_SIZES = [4, 1] as const;
const SPREAD_MS = 1000;
const LOOK_EVERY_MS = 250;

interface Client {
  readonly index: number;
  stage: 'discover' | 'request' | 'tftp' | 'script' | 'done';
  stageStartedMs: number;
  download: Download | undefined;
  /** The number of consecutive sends without an answer. */
  silent: number;
  sentMs: number;
}

class Storm {
  readonly #plan: StormPlan;
  readonly #sockets: LoadSockets;
  readonly #relay: number;
  readonly #clients: Client[];
  readonly #byDownload = new Map<number, Client>();
  readonly #failures: Record<string, number> = {};
  readonly #secondsOf: Record<Stage, number[]> = { dhcp: [], tftp: [], script: [] };
  readonly #requests: readonly Buffer[];
  readonly #resent: Record<string, number> = {};
  #left: number;
  #lookedMs = 0;

  constructor(plan: StormPlan, sockets: LoadSockets) {
    this.#plan = plan;
    this.#sockets = sockets;
    this.#relay = sockets.openShared(NETWORK.gateway, DHCP_PORT);
    this.#requests = WINDOW_SIZES.map((size) => requestBytes(plan.file, size));
    this.#left = plan.clients;
    const start = {
      stage: 'discover',
      download: undefined,
      silent: 0,
      stageStartedMs: 0,
      sentMs: 0,
    } as const;
    this.#clients = Array.from({ length: plan.clients }, (_, index) => ({ index, ...start }));
  }

  async run(): Promise<StormResult> {
    const startedMs = performance.now();
    for (const client of this.#clients) this.#enter(client, 'discover');
    while (this.#left > 0) {
      const take = (socket: number, bytes: Buffer, port: number) => this.#take(socket, bytes, port);
      // A client whose packets wait here to be read does not count as silent.
      if (this.#sockets.receive(1, take)) this.#lookForSilence();
      // The scripts arrive through Node's own event loop.
      await new Promise(setImmediate);
    }
    const p99 = (stage: Stage) => quantile(this.#secondsOf[stage], 0.99);
    return {
      seconds: (performance.now() - startedMs) / 1000,
      failures: this.#failures,
      resent: this.#resent,
      p99Seconds: { dhcp: p99('dhcp'), tftp: p99('tftp'), script: p99('script') },
    };
  }

  #enter(client: Client, stage: Client['stage']): void {
    const nowMs = performance.now();
    client.stage = stage;
    client.silent = 0;
    if (stage !== 'request') client.stageStartedMs = nowMs;
    if (stage === 'tftp') {
      const socket = this.#sockets.open(this.#addressOf(client));
      client.download = newDownload(socket);
      this.#byDownload.set(socket, client);
    }
    if (stage === 'script') void this.#loadScript(client);
    else this.#send(client);
  }

  #send(client: Client): void {
    client.sentMs = performance.now();
    const { download, index, stage } = client;
    if (download === undefined) {
      const message = dhcpMessage({
        index,
        isRequest: stage === 'request',
        server: this.#plan.serverAddress,
      });
      this.#sockets.send(this.#relay, message, DHCP_PORT);
    } else if (download.port === 0) {
      const request = this.#requests[index % this.#requests.length];
      if (request !== undefined) this.#sockets.send(download.socket, request, TFTP_PORT);
    } else acknowledge(this.#sockets, download);
  }

  #take(socket: number, bytes: Buffer, port: number): void {
    if (socket === this.#relay) return this.#takeReply(bytes);
    const client = this.#byDownload.get(socket);
    if (client?.download === undefined) return;
    if (client.download.port !== 0 && client.download.port !== port) return;
    client.silent = 0;
    client.sentMs = performance.now();
    const outcome = takePacket(client.download, bytes, port);
    if (outcome === 'wait') return;
    if (outcome === 'error')
      return this.#fail(client, `tftp: ${bytes.toString('latin1', 4, bytes.length - 1)}`);
    acknowledge(this.#sockets, client.download);
    if (outcome !== 'last') return;
    if (client.download.received !== this.#plan.bytes) return this.#fail(client, 'tftp: too few bytes');
    this.#finish(client, 'tftp');
    this.#closeDownload(client);
    this.#enter(client, 'script');
  }

  #takeReply(bytes: Buffer): void {
    const client = this.#clients[transactionOf(bytes)];
    if (client === undefined) return;
    const type = messageTypeOf(bytes);
    if (client.stage === 'discover' && type === 'offer') this.#enter(client, 'request');
    else if (client.stage === 'request' && type === 'nak') this.#fail(client, 'dhcp: NAK');
    else if (client.stage === 'request' && type === 'ack') {
      this.#finish(client, 'dhcp');
      this.#enter(client, 'tftp');
    }
  }

  #lookForSilence(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lookedMs < LOOK_EVERY_MS) return;
    this.#lookedMs = nowMs;
    for (const client of this.#clients) {
      if (client.stage === 'script' || client.stage === 'done') continue;
      const waits = client.stage === 'tftp' ? TFTP_WAITS_MS : DHCP_WAITS_MS;
      if (nowMs - client.sentMs < (waits[client.silent] ?? 0) + spreadOf(client)) continue;
      client.silent += 1;
      if (client.silent >= waits.length) this.#fail(client, `${client.stage}: no answer`);
      else {
        const sent = client.download?.port === 0 ? 'tftp request' : client.stage;
        this.#resent[sent] = (this.#resent[sent] ?? 0) + 1;
        this.#send(client);
      }
    }
  }

  async #loadScript(client: Client): Promise<void> {
    const { serverAddress } = this.#plan;
    const { mac } = addressesOf(client.index);
    const problem = await scriptProblem({ serverAddress, mac, address: this.#addressOf(client) });
    if (problem !== undefined) return this.#fail(client, `script: ${problem}`);
    this.#finish(client, 'script');
    client.stage = 'done';
    this.#left -= 1;
  }

  #addressOf({ index }: Client): string {
    return this.#plan.isBehindNat ? NETWORK.gateway : addressesOf(index).address;
  }

  #finish(client: Client, stage: Stage): void {
    this.#secondsOf[stage].push((performance.now() - client.stageStartedMs) / 1000);
  }

  #fail(client: Client, reason: string): void {
    this.#closeDownload(client);
    client.stage = 'done';
    this.#left -= 1;
    this.#failures[reason] = (this.#failures[reason] ?? 0) + 1;
  }

  #closeDownload(client: Client): void {
    if (client.download === undefined) return;
    this.#byDownload.delete(client.download.socket);
    this.#sockets.close(client.download.socket);
    client.download = undefined;
  }
}

/** Returns a number for each client and attempt, the same in every run. */
function spreadOf({ index, silent, stage }: Client): number {
  return stage === 'tftp' ? 0 : ((index * 7919 + silent * 104_729) % (2 * SPREAD_MS)) - SPREAD_MS;
}

/** Undefined when the script arrived. */
function scriptProblem(options: {
  readonly serverAddress: string;
  readonly mac: string;
  readonly address: string;
}): Promise<string | undefined> {
  const { serverAddress, mac, address } = options;
  return new Promise((resolve) => {
    const socket = connect({ host: serverAddress, port: HTTP_PORT, localAddress: address });
    let received = '';
    socket.setTimeout(HTTP_WAIT_MS, () => socket.destroy(new Error('no answer')));
    socket.once('error', ({ message }) => resolve(message));
    socket.once('connect', () =>
      socket.write(
        `GET /ipxe/script/${mac}/auto.ipxe HTTP/1.1\r\nHost: ${serverAddress}\r\nConnection: close\r\n\r\n`,
      ),
    );
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.once('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n');
      const isScript = head.startsWith('HTTP/1.1 200') && body.startsWith('#!ipxe');
      resolve(isScript ? undefined : `answered ${head.slice(0, head.indexOf('\r\n'))}`);
    });
  });
}

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2] ?? '{}') as StormPlan;
  const result = await new Storm(plan, await createLoadSockets(plan.serverAddress)).run();
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
