/** Sends probes and listens on a network interface for some seconds. Makes no decisions. */
import { CLIENT_PORT, clientMacOf, decodePacket, SERVER_PORT, type DhcpPacket } from '@tinkerbell/dhcp';
import {
  delay,
  PlatformError,
  type Clock,
  type Random,
  type SeenDatagram,
} from '@tinkerbell/platform-contract';
import { nodeLinkLayer, nodeUdp } from '@tinkerbell/platform-node';
import { parseIpv4, type Mac } from '@tinkerbell/wire';
import { TinkFailure } from '../failure.ts';
import { askDhcpv6 } from './dhcpv6-probe.ts';
import { ipv6Routers, isTinkerbellHere, localNetworkInterface, localPorts } from './local-network.ts';
import type { Answer, LocalNetworkInterface, Observation, Overheard } from './observation.ts';
import { discoverKinds, probePacket, type ProbeKind } from './probe.ts';

export interface ObserveOptions {
  readonly networkInterface: string | undefined;
  readonly seconds: number;
  readonly mac: Mac;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

const POLL_MS = 20;
const BOOT_SERVER_PORT = 4011;
/** Limit of stored packets, because a network may be busy. */
const REQUESTS_MAX = 10_000;

/** @throws TinkFailure without the right to open packet sockets, or if the network interface does not exist. */
export async function observe(options: ObserveOptions): Promise<Observation> {
  const networkInterface = await localNetworkInterface(options.networkInterface);
  const ports = await localPorts();
  const conversation = new Conversation(options, networkInterface);
  const ipv6 = askDhcpv6(networkInterface.name, options);
  const isAsked = await conversation.hold();
  return {
    networkInterface,
    answers: conversation.answers,
    requests: conversation.requests,
    ports,
    ipv6: { routers: await ipv6Routers(networkInterface.name), dhcpServers: await ipv6 },
    isTinkerbellHere: await isTinkerbellHere(),
    isAsked,
  };
}

class Conversation {
  readonly answers: Answer[] = [];
  readonly requests: Overheard[] = [];
  readonly #options: ObserveOptions;
  readonly #networkInterface: LocalNetworkInterface;
  readonly #kinds = new Map<number, ProbeKind>();
  readonly #seen = new Set<string>();
  /** Returns MACs by address of the hosts that answered, because replies from UDP 4011 do not contain them. */
  readonly #macs = new Map<string, string>();

  constructor(options: ObserveOptions, networkInterface: LocalNetworkInterface) {
    this.#options = options;
    this.#networkInterface = networkInterface;
  }

  /** False if nothing could be sent. */
  async hold(): Promise<boolean> {
    const { clock, seconds, signal } = this.#options;
    await using stack = new AsyncDisposableStack();
    const link = await this.#openLink();
    stack.defer(() => link.close());
    const askBootServer = await this.#openBootServerSocket(stack);
    const questions = discoverKinds.map((kind) => this.#question(kind));
    const ask = () =>
      questions.map((bytes) => link.broadcast(bytes, { from: CLIENT_PORT, to: SERVER_PORT })).includes(true);
    const isAsked = ask();
    await delay(clock, (seconds * 1000) / 2, signal);
    ask();
    for (const address of new Set(this.answers.map(({ from }) => from))) askBootServer(address);
    await delay(clock, (seconds * 1000) / 2, signal);
    return isAsked;
  }

  async #openLink() {
    const { name } = this.#networkInterface;
    try {
      const options = { networkInterface: name, ports: [CLIENT_PORT, SERVER_PORT], pollMs: POLL_MS };
      return await nodeLinkLayer.open(options, (datagram) => this.#onDatagram(datagram));
    } catch (thrown) {
      if (!(thrown instanceof PlatformError)) throw thrown;
      throw new TinkFailure(thrown.message, { advice: 'run it as root on Linux' });
    }
  }

  /** Only a host with an address can send the UDP 4011 probe. */
  async #openBootServerSocket(stack: AsyncDisposableStack): Promise<(address: string) => void> {
    const { name, addresses } = this.#networkInterface;
    const own = parseIpv4(addresses[0]?.address ?? '');
    if (own === undefined) return () => undefined;
    const socket = stack.use(
      await nodeUdp.open(
        { port: 0, networkInterface: name },
        {
          onDatagram: ({ bytes, peer }) =>
            this.#onReply(bytes, { from: peer.address, fromMac: this.#macs.get(peer.address) ?? 'unknown' }),
          onError: () => undefined,
        },
      ),
    );
    const question = this.#question('boot-server', own);
    return (address) => socket.send(question, { address, port: BOOT_SERVER_PORT });
  }

  #question(kind: ProbeKind, address?: ReturnType<typeof parseIpv4>): Uint8Array {
    const { random, mac } = this.#options;
    const transactionId = new DataView(random.bytes(4).buffer).getUint32(0);
    this.#kinds.set(transactionId, kind);
    return probePacket(kind, { mac, transactionId, ...(address === undefined ? {} : { address }) });
  }

  #onDatagram({ bytes, from, fromMac, to }: SeenDatagram): void {
    if (to.port === CLIENT_PORT) {
      this.#macs.set(from.address, fromMac);
      return this.#onReply(bytes, { from: from.address, fromMac });
    }
    const decoded = decodePacket(bytes);
    if (!decoded.ok || decoded.value.op !== 'request' || this.requests.length >= REQUESTS_MAX) return;
    this.requests.push({ fromMac, packet: decoded.value });
  }

  #onReply(bytes: Uint8Array, source: { readonly from: string; readonly fromMac: string }): void {
    const decoded = decodePacket(bytes);
    if (!decoded.ok || decoded.value.op !== 'reply') return;
    const packet = decoded.value;
    const to = this.#kindOf(packet);
    const key = `${source.from} ${source.fromMac} ${to} ${packet.options.serverIdentifier}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.answers.push({ to, ...source, packet });
  }

  #kindOf(packet: DhcpPacket): Answer['to'] {
    const isOurs = clientMacOf(packet) === this.#options.mac;
    return (isOurs ? this.#kinds.get(packet.transactionId) : undefined) ?? 'overheard';
  }
}
