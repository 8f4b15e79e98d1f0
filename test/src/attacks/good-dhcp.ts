/**
 * Runs well-behaved DHCP clients in a separate process. Behind a relay, they send a DISCOVER every 50 ms,
 * each with a new transaction. At the end of its standard input it prints the results as JSON. With each
 * DISCOVER it also sends a request to an echo process, which shows the part of the delays that the machine
 * causes for all processes.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { setPriority } from 'node:os';

export interface GoodDhcpReport {
  readonly sent: number;
  readonly answered: number;
  /** The delays of those answered after the warm-up, ms. */
  readonly slowestMs: number;
  /** Seconds after the start. */
  readonly slowestAt: number;
  readonly medianMs: number;
  /** 99 of 100 were answered within this time. */
  readonly p99Ms: number;
  /** The slowest answer of the echo process. */
  readonly slowestEchoMs: number;
}

/** The server compiles code and fills caches at first. Delays in these seconds are ignored. */
export const WARM_UP_SECONDS = 5;

/**
 * The clients take turns, because one client that sends a request every 50 ms is limited, as it should be.
 */
export const GOOD_CLIENTS = 40;

/** `index` counts from 0. */
export function goodMac(index: number): string {
  return `52:54:00:60:00:${index.toString(16).padStart(2, '0')}`;
}

/** Set on the loopback interface of the network that main.ts creates. */
export const RELAY = '10.60.0.254';
const SERVER = '127.0.0.1';
const PORT = 67;
const PERIOD_MS = 50;
const PATIENCE_MS = 2000;
const ECHO = 'echo';
/** Niceness of the echo process: that of the server's thread for DHCP. */
const PRIORITY = -15;

if (import.meta.main) {
  if (process.argv[2] === ECHO) {
    setPriority(PRIORITY);
    echo();
  } else {
    // The clients are other machines, which do not wait for the server's processors.
    execFileSync('chrt', ['--all-tasks', '--reset-on-fork', '--fifo', '--pid', '1', String(process.pid)]);
    probe();
  }
}

/** Echoes everything. It prints its port first, and ends with its parent. */
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

/** The requests and how long their answers took. */
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

  /** Delays in ascending order, without those of the warm-up. */
  end(): { readonly answered: number; readonly delays: readonly Delay[] } {
    this.socket.close();
    const delays = this.#delays.filter(({ id }) => id * PERIOD_MS > WARM_UP_SECONDS * 1000);
    return { answered: this.#delays.length, delays: delays.toSorted((one, other) => one.ms - other.ms) };
  }
}

interface Delay {
  /** Requests are numbered from 1. */
  readonly id: number;
  readonly ms: number;
}

function goodHardwareAddress(id: number): Buffer {
  return Buffer.from(goodMac(id % GOOD_CLIENTS).replaceAll(':', ''), 'hex');
}

/**
 * RFC 2131, section 2: BOOTREQUEST over Ethernet by a relay, with options 53 (DISCOVER), 55, 93, 97 and 60.
 */
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
