import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import {
  PlatformError,
  type NetworkInterface,
  type Udp,
  type UdpAddress,
  type UdpHandlers,
  type UdpOptions,
  type UdpSocket,
} from '@tinkerbell/platform-contract';
import { boundSocket } from './bound-socket.ts';
import { cLibrary } from './c-library.ts';
import { LinkLayerSender } from './link-layer-sender.ts';
import { holderOf } from './port-holder.ts';
import { RECEIVE_BUFFER_BYTES } from './receive-buffer.ts';

export const nodeUdp: Udp = {
  async open(options, handlers) {
    const socket = createSocket({ type: 'udp4', reuseAddr: options.reuseAddress === true, lookup: asGiven });
    try {
      await bind(socket, options);
    } catch (thrown) {
      socket.close();
      throw await udpError(options, thrown);
    }
    if (options.networkInterface === undefined) {
      // The kernel takes it as far as the system's limit goes.
      socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
      if (options.broadcast) socket.setBroadcast(true);
    }
    const frames =
      options.networkInterface === undefined
        ? undefined
        : new LinkLayerSender(await cLibrary(), options.networkInterface);
    return new NodeUdpSocket(socket, options.networkInterface, { ...handlers, frames });
  },

  networkInterfaces() {
    return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).flatMap((one): NetworkInterface[] =>
        one.family === 'IPv4'
          ? [{ name, mac: one.mac, address: one.address, netmask: one.netmask, internal: one.internal }]
          : [],
      ),
    );
  },
};

/** Addresses are dotted IPv4 already. The resolver would find that out too, a turn of the event loop later for each datagram. */
function asGiven(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, 4);
}

async function bind(socket: Socket, options: UdpOptions): Promise<void> {
  const { networkInterface, port, address } = options;
  const target =
    networkInterface === undefined
      ? { port, ...(address === undefined ? {} : { address }), exclusive: true }
      : { fd: await boundSocket({ ...options, networkInterface }), exclusive: true };
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(target, () => {
      socket.removeListener('error', reject);
      resolve();
    });
  });
}

async function udpError(options: UdpOptions, thrown: unknown): Promise<PlatformError> {
  const isInUse =
    thrown instanceof PlatformError
      ? thrown.code === 'address-in-use'
      : (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
  if (isInUse) {
    const holder = await holderOf('udp', options.port);
    return new PlatformError('address-in-use', `UDP port ${options.port} is in use${holder}`, {
      cause: thrown,
    });
  }
  if (thrown instanceof PlatformError) return thrown;
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === 'EACCES') {
    return new PlatformError(
      'permission-denied',
      `not allowed to open UDP port ${options.port}; run as root or give the program CAP_NET_BIND_SERVICE`,
      { cause: thrown },
    );
  }
  return new PlatformError('unavailable', `cannot open UDP port ${options.port}: ${message}`, {
    cause: thrown,
  });
}

class NodeUdpSocket implements UdpSocket {
  readonly local: UdpAddress;
  readonly #socket: Socket;
  readonly #handlers: UdpHandlers;
  readonly #frames: LinkLayerSender | undefined;
  #closed = false;

  constructor(
    socket: Socket,
    networkInterface: string | undefined,
    handlers: UdpHandlers & { readonly frames: LinkLayerSender | undefined },
  ) {
    this.#frames = handlers.frames;
    this.#socket = socket;
    this.#handlers = handlers;
    const { address, port } = socket.address();
    this.local = { address, port };
    socket.on('error', (error) => handlers.onError(error));
    socket.on('message', (bytes, peer) =>
      handlers.onDatagram({ bytes, peer: { address: peer.address, port: peer.port }, networkInterface }),
    );
  }

  send(bytes: Uint8Array, to: UdpAddress): void {
    if (this.#closed) return;
    this.#socket.send(bytes, to.port, to.address, (error) => {
      if (error !== null) this.#handlers.onError(error);
    });
  }

  sendSegments(bytes: Uint8Array, segmentBytes: number, to: UdpAddress): void {
    for (let at = 0; at < bytes.length; at += segmentBytes) {
      // A copy: the kernel reads it when the event loop turns, and the caller may reuse the bytes before.
      this.send(bytes.slice(at, at + segmentBytes), to);
    }
  }

  sendToMac(bytes: Uint8Array, to: UdpAddress, mac: string): boolean {
    if (this.#closed || this.#frames === undefined) return false;
    return this.#frames.send(bytes, { from: this.local, to, mac });
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#frames?.close();
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
