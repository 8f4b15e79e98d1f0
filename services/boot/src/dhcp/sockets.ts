import type { Arrival } from '@tinkerbell/netboot';
import type { Udp, UdpSocket } from '@tinkerbell/platform-contract';
import { parseIpv4, type Ipv4 } from '@tinkerbell/wire';
import type { BootConfig, BootDeps } from '../config.ts';
import type { DhcpConfig } from './dhcp-config.ts';
import type { OnDhcp } from './listener.ts';
import type { DhcpEntrance } from './reply-sender.ts';

/** The port on which PXE clients with an address request the boot file, PXE 2.1 section 2.2. */
const BOOT_SERVER_PORT = 4011;

interface DhcpSocketsInput {
  readonly onDhcp: OnDhcp;
  /** Registers each socket as soon as it is open, so that a failure leaks none. */
  readonly sockets: UdpSocket[];
}

interface SocketDeps extends Pick<BootDeps, 'udp' | 'clock'> {
  readonly onSocketError: (message: string) => void;
  /** In a thread of its own, which may wait for several packets. */
  readonly coalesces?: boolean;
}

type DhcpSocketsConfig = Pick<BootConfig, 'netboot'> & { readonly dhcp: DhcpConfig };

/** Opens the DHCP sockets, and in the proxy modes those of the boot server port too. */
export async function openDhcpSockets(
  deps: SocketDeps,
  config: DhcpSocketsConfig,
  input: DhcpSocketsInput,
): Promise<void> {
  await openOnePort(deps, config, { ...input, kind: 'dhcp', port: config.dhcp.port });
  if (config.netboot.mode === 'reservation') return;
  await openOnePort(deps, config, { ...input, kind: 'boot-server', port: BOOT_SERVER_PORT });
}

/**
 * Opens one socket per network interface. Without named interfaces, it opens one on all addresses that receives and one on the
 * server's address that sends: a broadcast leaves by the interface of the socket's address, even without a default route.
 */
async function openOnePort(
  { udp, onSocketError, clock, coalesces = false }: SocketDeps,
  { dhcp, netboot }: DhcpSocketsConfig,
  input: DhcpSocketsInput & { readonly kind: Arrival['port']; readonly port: number },
): Promise<void> {
  const unknownArrival: Arrival = { port: input.kind, localAddresses: [] };
  const isAsked = (netboot.proxyAllow?.subnets.length ?? 0) + (netboot.pools?.length ?? 0) > 0;
  const open = async (options: { address: string; networkInterface?: string }, sender?: UdpSocket) => {
    const arrivalNow = isAsked
      ? arrivalReader({ udp, clock }, { kind: input.kind, name: options.networkInterface })
      : () => unknownArrival;
    let entrance: DhcpEntrance | undefined;
    const entranceNow = (): DhcpEntrance => {
      const arrival = arrivalNow();
      if (entrance?.arrival !== arrival) entrance = { arrival, socket: sender ?? socket };
      return entrance;
    };
    const socket: UdpSocket = await udp.open(
      { port: input.port, broadcast: true, reuseAddress: true, coalesces, ...options },
      {
        onDatagram: (datagram) => input.onDhcp(datagram, entranceNow()),
        onError: ({ message }) => onSocketError(message),
      },
    );
    input.sockets.push(socket);
    return socket;
  };
  const { address, networkInterfaces } = dhcp;
  for (const networkInterface of networkInterfaces) await open({ address, networkInterface });
  if (networkInterfaces.length > 0) return;
  const isAny = address === '0.0.0.0';
  const sender = isAny ? await open({ address: netboot.serverAddress }) : undefined;
  await open({ address }, sender);
}

/** Addresses may change while the server runs, but querying the kernel for them costs more than a reply. */
const ADDRESSES_KEPT_MS = 1000;

function arrivalReader(
  { udp, clock }: Pick<BootDeps, 'udp' | 'clock'>,
  { kind, name }: { readonly kind: Arrival['port']; readonly name: string | undefined },
): () => Arrival {
  const read = (): Arrival => ({ port: kind, localAddresses: addressesOn(udp, name) });
  let arrival = read();
  let readAtMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - readAtMs >= ADDRESSES_KEPT_MS) {
      arrival = read();
      readAtMs = clock.monotonicMs();
    }
    return arrival;
  };
}

/**
 * Returns the server's addresses on the network interface, or without a name those on the only interface. Returns none with
 * several interfaces, because the one that received a datagram is unknown.
 */
export function addressesOn(udp: Pick<Udp, 'networkInterfaces'>, name: string | undefined): readonly Ipv4[] {
  const all = udp.networkInterfaces().filter(({ internal }) => !internal);
  const only = new Set(all.map((each) => each.name)).size === 1;
  if (name === undefined && !only) return [];
  return all
    .filter((each) => name === undefined || each.name === name)
    .flatMap(({ address }) => parseIpv4(address) ?? []);
}
