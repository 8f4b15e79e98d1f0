import {
  decodePacket,
  relayReply,
  relayRequest,
  SERVER_PORT,
  type DhcpPacket,
  type RelayDropReason,
  type RelayInterface,
  type ReplyDestination,
} from '@tinkerbell/dhcp';
import type { Datagram, Service, UdpSocket } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { IPV4_BROADCAST } from '@tinkerbell/wire';
import type { RelayConfig, RelayDeps } from './config.ts';
import { createRelayMetrics, type RelayMetrics } from './metrics.ts';
import { checkRelayConfig, clientNetworks, relayInterfaces } from './relay-interfaces.ts';
import { runTrials } from './trials/trial-loop.ts';

type DropReason = RelayDropReason | 'no-other-server' | `undecodable-${string}`;

/** `start` rejects with the platform's error when port 67 is in use, and with its own error for settings that cannot work. */
export function createRelayService(deps: RelayDeps, config: RelayConfig): Service {
  const set = new MetricSet();
  const relay = new Relay(deps, config, createRelayMetrics(set));
  const ended = Promise.withResolvers<void>();
  return {
    name: 'relay',
    routes: [],
    metrics: set,
    async start(signal) {
      await relay.start();
      const trials = relay.runTrials(signal);
      const stop = () => void Promise.all([relay.stop(), trials]).then(() => ended.resolve(), ended.reject);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    stopped: () => ended.promise,
    health: () => relay.health(),
  };
}

class Relay {
  readonly #deps: RelayDeps;
  readonly #config: RelayConfig;
  readonly #metrics: RelayMetrics;
  readonly #clientSockets = new Map<string, UdpSocket>();
  #interfaces: readonly RelayInterface[] = [];
  #serverSocket: UdpSocket | undefined;

  constructor(deps: RelayDeps, config: RelayConfig, metrics: RelayMetrics) {
    this.#deps = deps;
    this.#config = config;
    this.#metrics = metrics;
  }

  async start(): Promise<void> {
    const { udp } = this.#deps;
    const present = udp.networkInterfaces();
    checkRelayConfig(this.#config, present);
    this.#interfaces = relayInterfaces(this.#config, present);
    try {
      this.#serverSocket = await this.#open({});
      for (const one of this.#interfaces) {
        const socket = await this.#open({ networkInterface: one.name, broadcast: true }, one);
        this.#clientSockets.set(one.name, socket);
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves after the signal. */
  async runTrials(signal: AbortSignal): Promise<void> {
    const { trials, servers } = this.#config;
    const networks = clientNetworks(this.#interfaces, this.#deps.udp.networkInterfaces());
    if (trials !== undefined) await runTrials(this.#deps, { ...trials, servers, networks }, signal);
  }

  async stop(): Promise<void> {
    const sockets = [...this.#clientSockets.values()];
    if (this.#serverSocket !== undefined) sockets.push(this.#serverSocket);
    this.#clientSockets.clear();
    this.#serverSocket = undefined;
    await Promise.all(sockets.map((socket) => socket.close()));
  }

  health() {
    return this.#serverSocket === undefined
      ? { ready: false, reason: 'the relay does not listen' }
      : { ready: true };
  }

  #open(options: { networkInterface?: string; broadcast?: boolean }, arrival?: RelayInterface) {
    return this.#deps.udp.open(
      { port: SERVER_PORT, reuseAddress: true, ...options },
      {
        onDatagram: (datagram) => this.#onDatagram(datagram, arrival),
        onError: (error) => this.#deps.log.warn('relay socket error', { error: error.message }),
      },
    );
  }

  #onDatagram(datagram: Datagram, arrival: RelayInterface | undefined): void {
    const decoded = decodePacket(datagram.bytes);
    if (!decoded.ok) return this.#drop(datagram, `undecodable-${decoded.error.code}`, decoded.error.message);
    if (decoded.value.op === 'request') this.#onRequest(datagram, decoded.value, arrival);
    else this.#onReply(datagram, decoded.value);
  }

  #onRequest(datagram: Datagram, packet: DhcpPacket, arrival: RelayInterface | undefined): void {
    const { servers, settings } = this.#config;
    const decision = relayRequest({
      message: { bytes: datagram.bytes, packet },
      ...(arrival === undefined ? {} : { arrival }),
      interfaces: this.#interfaces,
      settings,
    });
    if (decision.kind === 'drop') return this.#drop(datagram, decision.reason, decision.message);
    // A server that relays itself would receive its own packet again.
    const others = servers.filter(({ address }) => address !== datagram.peer.address);
    if (others.length === 0) return this.#drop(datagram, 'no-other-server', 'it came from the only server');
    if (decision.isInformationMissing) this.#metrics.informationOmitted.add();
    for (const { address } of others)
      this.#serverSocket?.send(decision.bytes, { address, port: SERVER_PORT });
    this.#metrics.forwarded.add({ direction: 'to-servers', way: '' });
    this.#deps.log.debug('DHCP request relayed', { from: datagram.peer.address, servers: others.length });
  }

  #onReply(datagram: Datagram, packet: DhcpPacket): void {
    const { settings } = this.#config;
    const message = { bytes: datagram.bytes, packet };
    const decision = relayReply({ message, interfaces: this.#interfaces, settings });
    if (decision.kind === 'drop') return this.#drop(datagram, decision.reason, decision.message);
    const { networkInterface, destination, bytes } = decision;
    const socket = this.#clientSockets.get(networkInterface);
    if (socket === undefined) return;
    const way = deliver(socket, bytes, destination);
    this.#metrics.forwarded.add({ direction: 'to-clients', way });
    this.#deps.log.debug('DHCP reply relayed', { from: datagram.peer.address, networkInterface, way });
  }

  #drop({ peer, networkInterface }: Datagram, reason: DropReason, message: string): void {
    this.#metrics.dropped.add({ reason });
    this.#deps.log.debug('DHCP packet not relayed', {
      from: peer.address,
      networkInterface,
      reason,
      message,
    });
  }
}

/**
 * Returns the method that was used. A frame that the platform cannot send becomes a broadcast, which RFC 2131 section 4.1 allows.
 */
function deliver(socket: UdpSocket, bytes: Uint8Array, destination: ReplyDestination): string {
  const { kind, address, port } = destination;
  if (kind !== 'link-layer') {
    socket.send(bytes, { address, port });
    return kind;
  }
  if (socket.sendToMac(bytes, { address, port }, destination.hardwareAddress)) return kind;
  socket.send(bytes, { address: IPV4_BROADCAST, port });
  return 'broadcast';
}
