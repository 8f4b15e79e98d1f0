import {
  CLIENT_PORT,
  decodeMessage,
  duidOfMac,
  encodeMessage,
  SERVER_PORT,
  unwrapRelays,
  wrapForRelays,
  type RelayEnvelope,
} from '@tinkerbell/dhcpv6';
import {
  classifyV6Client,
  replyToV6,
  v6MacsOf,
  v6ReservationFor,
  type NetbootClient,
  type V6ReservationResult,
  type V6Settings,
} from '@tinkerbell/netboot';
import { PlatformError, type Datagram, type Udp6, type Udp6Socket } from '@tinkerbell/platform-contract';
import { parseIpv6, parseMac } from '@tinkerbell/wire';
import type { BootDeps, Dhcpv6Config } from '../config.ts';
import type { Dhcpv6Timeline } from './dhcpv6-timeline.ts';

/** All_DHCP_Relay_Agents_and_Servers, RFC 8415 section 7.1. Clients send to it. */
const SERVERS_GROUP = 'ff02::1:2';
/** All_DHCP_Servers. Relays may send to it. */
const SITE_SERVERS_GROUP = 'ff05::1:3';

interface Dhcpv6ListenerInput {
  readonly deps: Pick<BootDeps, 'view' | 'log'> & { readonly udp6: Udp6 };
  readonly config: Dhcpv6Config;
  readonly settings: V6Settings;
  readonly timeline: Dhcpv6Timeline;
}

/** The socket that received a datagram and sends the answer. */
export interface Dhcpv6Entrance {
  readonly socket: Pick<Udp6Socket, 'send'>;
  /** The server's DUID on that network interface. */
  readonly serverIdentifier: Uint8Array;
}

/** Runs DHCPv6 on the named network interfaces, with a socket each. */
export class Dhcpv6Listener {
  readonly #input: Dhcpv6ListenerInput;
  readonly #sockets: Udp6Socket[] = [];

  constructor(input: Dhcpv6ListenerInput) {
    this.#input = input;
  }

  async start(): Promise<void> {
    const { deps, config } = this.#input;
    for (const networkInterface of config.networkInterfaces) {
      const mac = parseMac(deps.udp6.macOf(networkInterface) ?? '');
      if (mac === undefined)
        throw new PlatformError(
          'no-such-interface',
          `DHCPv6 needs the MAC of ${networkInterface}: there is no such network interface, or it is down`,
        );
      const serverIdentifier = duidOfMac(mac);
      const socket: Udp6Socket = await deps.udp6.open(
        { port: SERVER_PORT, networkInterface, groups: [SERVERS_GROUP, SITE_SERVERS_GROUP] },
        {
          onDatagram: (datagram) => this.onDatagram(datagram, { socket, serverIdentifier }),
          onError: (error) => deps.log.warn('DHCPv6 socket error', { error: error.message }),
        },
      );
      this.#sockets.push(socket);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sockets.splice(0).map((socket) => socket.close()));
  }

  /**
   * Handles one datagram, from bytes to bytes. Each call decides one thing, and what is not answered is reported with its reason.
   */
  onDatagram(datagram: Datagram, { socket, serverIdentifier }: Dhcpv6Entrance): void {
    const { settings, timeline } = this.#input;
    const relayed = unwrapRelays(datagram.bytes);
    if (!relayed.ok) return timeline.undecodable(datagram, relayed.error);
    const { envelopes, bytes } = relayed.value;
    const decoded = decodeMessage(bytes);
    if (!decoded.ok) return timeline.undecodable(datagram, decoded.error);
    const request = decoded.value;

    const sender = parseIpv6(datagram.peer.address);
    const { mac, reservation } = this.#machineOf(v6MacsOf({ message: request, envelopes, sender }));
    const client = classifyV6Client(request, mac);
    const decision = replyToV6({ request, client, reservation, settings, serverIdentifier });
    if (decision.kind === 'ignore') return timeline.ignored({ request, client, decision });

    const reply = encodeMessage(decision.reply);
    socket.send(wrapForRelays(envelopes, reply), {
      address: datagram.peer.address,
      port: portOf(envelopes),
    });
    timeline.replied({ request, client, decision });
  }

  /** Returns the first MAC that a Hardware has. Without any, it returns the most reliable one, for the timeline. */
  #machineOf(macs: ReturnType<typeof v6MacsOf>): {
    mac: NetbootClient['mac'];
    reservation: V6ReservationResult;
  } {
    const { view } = this.#input.deps;
    const mac = macs.find((each) => view.hardwareByMac(each).length > 0) ?? macs[0];
    const reservation: V6ReservationResult =
      mac === undefined
        ? { ok: false, reason: 'no-hardware', message: 'the client has no MAC' }
        : v6ReservationFor(view.hardwareByMac(mac), mac);
    return { mac, reservation };
  }
}

/** RFC 8415 section 7.2: clients listen on 546, and relays on the servers' own port. */
function portOf(envelopes: readonly RelayEnvelope[]): number {
  return envelopes.length === 0 ? CLIENT_PORT : SERVER_PORT;
}
