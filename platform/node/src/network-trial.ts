/** Tries the ports of a server as machines do, and looks for the holders of addresses, from this host. */
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { CLIENT_PORT, decodePacket, emptyPacket, encodePacket, messageType } from '@tinkerbell/dhcp';
import type {
  AddressHolder,
  AddressProbe,
  NetworkTrial,
  NetworkTrialResult,
  ServerPort,
  TriedPort,
} from '@tinkerbell/platform-contract';
import { encodeTftp } from '@tinkerbell/tftp';
import { macToBytes, parseIpv4, parseMac } from '@tinkerbell/wire';

const TIMEOUT_MS = 3_000;
const PROBE_MS = 1_000;
const READ_REQUEST = encodeTftp({
  kind: 'read-request',
  fileName: 'tink-doctor-check',
  mode: 'octet',
  options: [],
});

type Outcome =
  | { readonly outcome: 'answered' }
  | { readonly outcome: 'silent' | 'untried'; readonly reason: string };

const ANSWERED: Outcome = { outcome: 'answered' };
const SILENT: Outcome = { outcome: 'silent', reason: `nothing within ${TIMEOUT_MS / 1000} s` };
const untried = (reason: string): Outcome => ({ outcome: 'untried', reason });

/** `from` is the own IPv4 address that asks the ports. Default: that of the route. Takes a few seconds at most. Never rejects. */
export async function tryNetwork(
  { host, ports, addresses }: NetworkTrial,
  probe: AddressProbe,
  from?: string,
): Promise<NetworkTrialResult> {
  const [tried, held] = await Promise.all([
    tryPorts(host, ports, from),
    Promise.all(
      addresses.map(async (address) => [address, await probe.holderOf(address, PROBE_MS)] as const),
    ),
  ]);
  const holders = held.filter((one): one is readonly [string, AddressHolder] => one[1] !== undefined);
  return { ports: tried, holders: new Map(holders) };
}

/** Resolves with what became of each port, in their order. Never rejects. */
export function tryPorts(
  host: string,
  ports: readonly ServerPort[],
  from?: string,
): Promise<readonly TriedPort[]> {
  return Promise.all(
    ports.map(async (one) => ({ ...one, ...(await askers[one.asks]({ host, port: one.port, from })) })),
  );
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly from: string | undefined;
}

const askers: Readonly<Record<ServerPort['asks'], (target: Target) => Promise<Outcome>>> = {
  tcp: tryTcp,
  tftp: tryTftp,
  dhcp: tryDhcp,
};

function tryTcp({ host, port, from }: Target): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const socket = connect({ host, port, ...(from === undefined ? {} : { localAddress: from }) });
  socket.setTimeout(TIMEOUT_MS, () => resolve(SILENT));
  socket.once('connect', () => resolve(ANSWERED));
  socket.once('error', ({ message: reason }) => resolve({ outcome: 'silent', reason }));
  return promise.finally(() => socket.destroy());
}

/** Asks for a file that does not exist: each answer shows that the request has arrived. */
function tryTftp({ host, port, from }: Target): Promise<Outcome> {
  const socket = createSocket('udp4');
  return answerTo(
    socket,
    () => true,
    () => socket.bind(0, from, () => socket.send(READ_REQUEST, port, host)),
  );
}

/** Sends an INFORM with the own address. The answer goes to the port of clients, which needs root. */
async function tryDhcp({ host, port, from }: Target): Promise<Outcome> {
  const own = from ?? (await ownAddressTowards(host));
  if (own === undefined) return untried(`this host has no route to ${host}`);
  const inform = informOf(own);
  if (inform === undefined) return untried(`the network interface of ${own} has no MAC`);
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const isAnswer = (bytes: Uint8Array): boolean => {
    const answer = decodePacket(bytes);
    return answer.ok && answer.value.op === 'reply' && answer.value.transactionId === inform.transactionId;
  };
  return answerTo(socket, isAnswer, () =>
    socket.bind(CLIENT_PORT, own, () => socket.send(inform.bytes, port, host)),
  );
}

function informOf(own: string): { readonly bytes: Uint8Array; readonly transactionId: number } | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const mac = parseMac(all.find(({ address }) => address === own)?.mac ?? '');
  const ciaddr = parseIpv4(own);
  if (mac === undefined || ciaddr === undefined) return undefined;
  const transactionId = randomInt(2 ** 32);
  const hardwareAddress = new Uint8Array(16);
  hardwareAddress.set(macToBytes(mac));
  const options = { messageType: messageType.inform };
  const encoded = encodePacket({ ...emptyPacket, transactionId, ciaddr, hardwareAddress, options });
  return encoded.ok ? { bytes: encoded.bytes, transactionId } : undefined;
}

/** A UDP socket that is connected has the address that would be used. Nothing is sent. */
function ownAddressTowards(host: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = createSocket('udp4');
  socket.once('error', () => resolve(undefined));
  socket.connect(CLIENT_PORT, host, () => resolve(socket.address().address));
  return promise.finally(() => socket.close());
}

function answerTo(
  socket: Socket,
  isAnswer: (bytes: Uint8Array) => boolean,
  ask: () => void,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => resolve(SILENT), TIMEOUT_MS);
  socket.on('message', (bytes) => {
    if (isAnswer(bytes)) resolve(ANSWERED);
  });
  socket.once('error', (error: NodeJS.ErrnoException) =>
    resolve(error.syscall === 'bind' ? untried(error.message) : { outcome: 'silent', reason: error.message }),
  );
  ask();
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}
