/**
 * Good clients of DHCP, in a process of their own: behind a relay, a DISCOVER every 50 ms, each of another transaction.
 * At the end of its standard input it prints what became of them as JSON.
 */
import { createSocket } from 'node:dgram';

export interface GoodDhcpReport {
  readonly sent: number;
  readonly answered: number;
  /** Of those answered, ms. */
  readonly slowestMs: number;
  readonly medianMs: number;
}

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

if (import.meta.main) probe();

function probe(): void {
  const socket = createSocket('udp4');
  const sentAt = new Map<number, number>();
  const delays: number[] = [];
  let sent = 0;
  socket.on('message', (reply) => {
    const id = reply.readUInt32BE(4);
    const at = sentAt.get(id);
    if (at === undefined) return;
    sentAt.delete(id);
    delays.push(performance.now() - at);
  });
  socket.bind(PORT, RELAY, () => {
    const timer = setInterval(() => {
      sent += 1;
      sentAt.set(sent, performance.now());
      socket.send(discover(sent, goodHardwareAddress(sent)), PORT, SERVER);
    }, PERIOD_MS);
    process.stdin.resume().once('end', () => {
      clearInterval(timer);
      setTimeout(() => {
        delays.sort((one, other) => one - other);
        const report: GoodDhcpReport = {
          sent,
          answered: delays.length,
          slowestMs: delays.at(-1) ?? 0,
          medianMs: delays[delays.length >> 1] ?? 0,
        };
        process.stdout.write(`${JSON.stringify(report)}\n`);
        socket.close();
      }, PATIENCE_MS);
    });
  });
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
