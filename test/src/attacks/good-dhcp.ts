/**
 * Good clients of DHCP, in a process of their own: behind a relay, a DISCOVER every 50 ms, each of another transaction.
 * At the end of its standard input it prints what became of them as JSON. With each DISCOVER it asks a process that only
 * sends back what it gets, which shows what of the delays is the machine's that all of them share.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';

export interface GoodDhcpReport {
  readonly sent: number;
  readonly answered: number;
  /** Of those answered after the warm-up, ms. */
  readonly slowestMs: number;
  /** Seconds after the start. */
  readonly slowestAt: number;
  readonly medianMs: number;
  /** 99 of 100 were answered within this. */
  readonly p99Ms: number;
  /** Slowest answer of the process that only sends back. */
  readonly slowestEchoMs: number;
}

/** The server compiles code and fills caches at first: delays of these seconds are left out. */
export const WARM_UP_SECONDS = 5;

/** They take turns: one client that asks every 50 ms is limited, as it should be. */
export const GOOD_CLIENTS = 40;

/** `index` from 0. */
export function goodMac(index: number): string {
  return `52:54:00:60:00:${index.toString(16).padStart(2, '0')}`;
}

/** Set on the loopback interface of the network that main.ts makes. */
export const RELAY = '10.60.0.254';
const SERVER = '127.0.0.1';
const PORT = 67;
const PERIOD_MS = 50;
const PATIENCE_MS = 2000;
const ECHO = 'echo';

if (import.meta.main) {
  if (process.argv[2] === ECHO) echo();
  else probe();
}

/** Sends everything back; tells its port first, and ends with its parent. */
function echo(): void {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => socket.send(message, port, address));
  socket.bind(0, SERVER, () => process.stdout.write(`${socket.address().port}`));
  process.stdin.resume().once('end', () => socket.close());
}

function probe(): void {
  const child = spawn(process.execPath, [import.meta.filename, ECHO], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.once('data', (port: Buffer) => ask(child, Number(port.toString())));
}

function ask(echoing: ChildProcess, echoPort: number): void {
  const dhcp = new Exchange((reply) => reply.readUInt32BE(4));
  const echoed = new Exchange((reply) => reply.readUInt32BE(0));
  echoed.socket.bind(0, SERVER);
  dhcp.socket.bind(PORT, RELAY, () => {
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      dhcp.send(sent, discover(sent, goodHardwareAddress(sent)), PORT);
      const id = Buffer.alloc(4);
      id.writeUInt32BE(sent);
      echoed.send(sent, id, echoPort);
    }, PERIOD_MS);
    process.stdin.resume().once('end', () => {
      clearInterval(timer);
      setTimeout(() => {
        const { answered, delays } = dhcp.end();
        const slowest = delays.at(-1);
        const report: GoodDhcpReport = {
          sent,
          answered,
          slowestMs: slowest?.ms ?? 0,
          slowestAt: Math.round((slowest?.id ?? 0) * (PERIOD_MS / 1000)),
          medianMs: delays[delays.length >> 1]?.ms ?? 0,
          p99Ms: delays[Math.floor(delays.length * 0.99)]?.ms ?? 0,
          slowestEchoMs: echoed.end().delays.at(-1)?.ms ?? 0,
        };
        process.stdout.write(`${JSON.stringify(report)}\n`);
        echoing.stdin?.end();
      }, PATIENCE_MS);
    });
  });
}

/** Questions and how long their answers took. */
class Exchange {
  readonly socket: Socket = createSocket('udp4');
  readonly #sentAt = new Map<number, number>();
  readonly #delays: Delay[] = [];

  constructor(idOf: (answer: Buffer) => number) {
    this.socket.on('message', (answer) => {
      const id = idOf(answer);
      const at = this.#sentAt.get(id);
      if (at === undefined) return;
      this.#sentAt.delete(id);
      this.#delays.push({ id, ms: performance.now() - at });
    });
  }

  send(id: number, packet: Uint8Array, port: number): void {
    this.#sentAt.set(id, performance.now());
    this.socket.send(packet, port, SERVER);
  }

  /** Delays ascend, without those of the warm-up. */
  end(): { readonly answered: number; readonly delays: readonly Delay[] } {
    this.socket.close();
    const delays = this.#delays.filter(({ id }) => id * PERIOD_MS > WARM_UP_SECONDS * 1000);
    return { answered: this.#delays.length, delays: delays.toSorted((one, other) => one.ms - other.ms) };
  }
}

interface Delay {
  /** Questions are numbered from 1. */
  readonly id: number;
  readonly ms: number;
}

function goodHardwareAddress(id: number): Buffer {
  return Buffer.from(goodMac(id % GOOD_CLIENTS).replaceAll(':', ''), 'hex');
}

/** RFC 2131, section 2: BOOTREQUEST over Ethernet by a relay; options 53 (DISCOVER), 55, 93, 97, 60. */
export function discover(id: number, hardwareAddress: Uint8Array): Buffer {
  const header = Buffer.alloc(240);
  header.set([1, 1, 6, 1]);
  header.writeUInt32BE(id, 4);
  header.set(RELAY.split('.').map(Number), 24);
  header.set(hardwareAddress, 28);
  header.set([99, 130, 83, 99], 236);
  const vendorClass = Buffer.from('PXEClient:Arch:00007:UNDI:003016');
  return Buffer.concat([
    header,
    Buffer.from([53, 1, 1, 55, 4, 1, 3, 66, 67, 93, 2, 0, 7, 97, 17, 0]),
    Buffer.alloc(16, 7),
    Buffer.from([60, vendorClass.length]),
    vendorClass,
    Buffer.from([255]),
  ]);
}
