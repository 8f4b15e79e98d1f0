/**
 * UDP over IPv6. The socket of one network interface is made by system calls. Two sockets on one port would each get the
 * multicasts of both network interfaces unless they are bound to them (SO_BINDTODEVICE), which Node's own API cannot do.
 */
import { createSocket, type BindOptions, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import {
  messageOf,
  peerOf,
  PlatformError,
  type Udp6,
  type Udp6Options,
  type Udp6Socket,
  type UdpAddress,
  type UdpHandlers,
} from '@tinkerbell/platform-contract';
import { cLibrary, type CLibrary } from './c-library.ts';
import { holderOf } from './port-holder.ts';
import { socketFailure } from './socket-failure.ts';
import { AF_INET6, SOCK_DGRAM_NONBLOCK_CLOEXEC, interfaceOption, optionValue } from './socket-numbers.ts';

const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;

export const nodeUdp6: Udp6 = {
  async open(options, handlers) {
    const { networkInterface, port, groups = [] } = options;
    const fd = networkInterface === undefined ? undefined : await boundDescriptor({ networkInterface, port });
    const socket = createSocket({ type: 'udp6', ipv6Only: true, lookup: asGiven });
    try {
      await bind(socket, fd === undefined ? { port, exclusive: true } : { fd, exclusive: true });
      for (const group of groups) socket.addMembership(group, `::%${networkInterface}`);
    } catch (thrown) {
      socket.close();
      const message = messageOf(thrown);
      throw new PlatformError('unavailable', `cannot open ${nameOf(options)}: ${message}`, { cause: thrown });
    }
    return new NodeUdp6Socket(socket, networkInterface, handlers);
  },

  macOf: (networkInterface) => networkInterfaces()[networkInterface]?.[0]?.mac,
};

/** Addresses are already IPv6 text, so nothing needs resolving. */
function asGiven(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, 6);
}

function bind(socket: Socket, to: BindOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(to, () => {
      socket.removeListener('error', reject);
      resolve();
    });
  });
}

type OnInterface = Required<Pick<Udp6Options, 'networkInterface' | 'port'>>;

async function boundDescriptor(options: OnInterface): Promise<number> {
  if (process.platform !== 'linux') {
    throw new PlatformError('unavailable', `cannot open ${nameOf(options)}: only on Linux`);
  }
  const library = await cLibrary();
  const fd = library.socket(AF_INET6, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0);
  const result = fd < 0 ? fd : configure(library, fd, options);
  if (result >= 0) return fd;
  if (fd >= 0) library.close(fd);
  const { networkInterface, port } = options;
  const holder = await holderOf('udp', port);
  throw socketFailure(-result, { where: nameOf(options), port: options.port, networkInterface, holder });
}

function configure(library: CLibrary, fd: number, { networkInterface, port }: OnInterface): number {
  const settings = [
    interfaceOption(networkInterface),
    { level: IPPROTO_IPV6, name: IPV6_V6ONLY, value: optionValue(1) },
  ];
  for (const setting of settings) {
    const result = library.setSocketOption(fd, setting);
    if (result < 0) return result;
  }
  return library.bind(fd, anyAddress(port));
}

/** struct sockaddr_in6 of `::`: family in host order, port in network order, the rest zero. */
function anyAddress(port: number): Uint8Array {
  const bytes = new Uint8Array(28);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET6, true);
  view.setUint16(2, port);
  return bytes;
}

function nameOf({ port, networkInterface }: Udp6Options): string {
  const where = networkInterface === undefined ? '' : ` on ${networkInterface}`;
  return `UDP port ${port} of IPv6${where}`;
}

class NodeUdp6Socket implements Udp6Socket {
  readonly local: UdpAddress;
  readonly #socket: Socket;
  readonly #handlers: UdpHandlers;
  #closed = false;

  constructor(socket: Socket, networkInterface: string | undefined, handlers: UdpHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    const { address, port } = socket.address();
    this.local = { address, port };
    socket.on('error', (error) => handlers.onError(error));
    socket.on('message', (bytes, { address: from, port: peerPort }) => {
      const [withoutZone = from] = from.split('%');
      handlers.onDatagram({ bytes, peer: peerOf(withoutZone, peerPort), networkInterface });
    });
  }

  send(bytes: Uint8Array, to: UdpAddress): void {
    if (this.#closed) return;
    this.#socket.send(bytes, to.port, to.address, (error) => {
      if (error !== null) this.#handlers.onError(error);
    });
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
