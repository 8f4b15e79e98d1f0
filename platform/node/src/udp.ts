import { createSocket, type Socket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import {
  messageOf,
  codeOf,
  datagramAt,
  PlatformError,
  type Datagram,
  type DatagramRun,
  type NetworkInterface,
  type Udp,
  type UdpAddress,
  type UdpHandlers,
  type UdpOptions,
  type UdpSocket,
} from '@tinkerbell/platform-contract';
import { boundSocket } from './bound-socket.ts';
import { cLibrary } from './c-library.ts';
import { peerNamed } from './known-peer.ts';
import { LinkLayerSender } from './link-layer-sender.ts';
import { SEGMENTED_BYTES_MAX, SEGMENTS_MAX } from './outgoing-batch.ts';
import { holderOf } from './port-holder.ts';
import { RECEIVE_BUFFER_BYTES } from './receive-buffer.ts';
import { sendOnlySocket, type SendOnlySocket } from './send-only-socket.ts';
import { waitingDatagrams, type WaitingDatagrams } from './waiting-datagrams.ts';

export const nodeUdp: Udp = {
  async open(options, handlers) {
    const waiting = await waitingDatagrams();
    const socket = createSocket({ type: 'udp4', reuseAddr: options.reuseAddress === true, lookup: asGiven });
    let fd: number | undefined;
    try {
      fd = await bind(socket, options, waiting !== undefined);
    } catch (thrown) {
      socket.close();
      throw await udpError(options, thrown);
    }
    if (fd === undefined) {
      // The kernel limits it to the system's maximum.
      socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
      if (options.broadcast) socket.setBroadcast(true);
    }
    const frames =
      options.networkInterface === undefined
        ? undefined
        : new LinkLayerSender(await cLibrary(), options.networkInterface);
    const direct =
      waiting === undefined || fd === undefined
        ? undefined
        : { waiting, fd, sendOnly: await sendOnlyBeside(fd, options) };
    return new NodeUdpSocket(socket, options, { handlers, frames, direct });
  },

  networkInterfaces() {
    return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).flatMap((one): NetworkInterface[] =>
        one.family === 'IPv4' ? [networkInterface(name, one)] : [],
      ),
    );
  },
};

function networkInterface(
  name: string,
  { mac, address, netmask, internal }: Omit<NetworkInterface, 'name'>,
): NetworkInterface {
  let read: { readonly mtuBytes: number | undefined } | undefined;
  return {
    name,
    mac,
    address,
    netmask,
    internal,
    /** Read on first use: few callers need it, and it costs reading a file. */
    get mtuBytes() {
      read ??= { mtuBytes: mtuBytesOf(name) };
      return read.mtuBytes;
    },
  };
}

function mtuBytesOf(name: string): number | undefined {
  try {
    return Number(readFileSync(`/sys/class/net/${name}/mtu`, 'latin1'));
  } catch {
    return undefined;
  }
}

/**
 * Addresses are already dotted IPv4. The resolver would find that out too, one turn of the event loop later for each datagram.
 */
function asGiven(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, 4);
}

/** The descriptor, if the socket was made by system calls. */
async function bind(socket: Socket, options: UdpOptions, isDirect: boolean): Promise<number | undefined> {
  const { networkInterface, port, address } = options;
  const fd = isDirect || networkInterface !== undefined ? await boundSocket(options) : undefined;
  const target =
    fd === undefined
      ? { port, ...(address === undefined ? {} : { address }), exclusive: true }
      : { fd, exclusive: true };
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(target, () => {
      socket.removeListener('error', reject);
      resolve();
    });
  });
  return fd;
}

/** For a listener with much traffic from many peers. A socket for one transfer does not justify a second one. */
async function sendOnlyBeside(fd: number, options: UdpOptions): Promise<SendOnlySocket | undefined> {
  const { isLockStep, address = '0.0.0.0', port } = options;
  return isLockStep === true && port > 0 ? await sendOnlySocket(fd, { address, port }) : undefined;
}

async function udpError(options: UdpOptions, thrown: unknown): Promise<PlatformError> {
  const port = { protocol: 'udp', number: options.port } as const;
  const isInUse =
    thrown instanceof PlatformError ? thrown.code === 'address-in-use' : codeOf(thrown) === 'EADDRINUSE';
  if (isInUse) {
    const holder = await holderOf('udp', options.port);
    return new PlatformError('address-in-use', `UDP port ${options.port} is in use${holder}`, {
      cause: thrown,
      port: { ...port, hasHolder: holder !== '' },
    });
  }
  if (thrown instanceof PlatformError) return thrown;
  if (codeOf(thrown) === 'EACCES') {
    return new PlatformError(
      'permission-denied',
      `not allowed to open UDP port ${options.port}; run as root or grant the program CAP_NET_BIND_SERVICE`,
      { cause: thrown, port },
    );
  }
  const message = messageOf(thrown);
  return new PlatformError('unavailable', `cannot open UDP port ${options.port}: ${message}`, {
    cause: thrown,
    port,
  });
}

interface Direct {
  readonly waiting: WaitingDatagrams;
  readonly fd: number;
  readonly sendOnly: SendOnlySocket | undefined;
}

interface SocketParts {
  readonly handlers: UdpHandlers;
  readonly frames: LinkLayerSender | undefined;
  /** When absent, everything goes through Node's socket. */
  readonly direct: Direct | undefined;
}

class NodeUdpSocket implements UdpSocket {
  readonly local: UdpAddress;
  readonly #socket: Socket;
  readonly #handlers: UdpHandlers;
  readonly #frames: LinkLayerSender | undefined;
  readonly #direct: SocketParts['direct'];
  readonly #unsent = (run: DatagramRun, to: UdpAddress): void => this.#sendSlowly(run, to);
  #closed = false;

  constructor(
    socket: Socket,
    {
      networkInterface,
      isLockStep = false,
      coalesces = false,
    }: Pick<UdpOptions, 'networkInterface' | 'isLockStep' | 'coalesces'>,
    { handlers, frames, direct }: SocketParts,
  ) {
    this.#frames = frames;
    this.#direct = direct;
    this.#socket = socket;
    this.#handlers = handlers;
    const { address, port } = socket.address();
    this.local = { address, port };
    socket.on('error', (error) => handlers.onError(error));
    const onDatagram = ({ bytes, peer }: Pick<Datagram, 'bytes' | 'peer'>) =>
      handlers.onDatagram({ bytes, peer, networkInterface });
    socket.on('message', (bytes, { address: from, port: fromPort }) => {
      onDatagram({ bytes, peer: peerNamed(from, fromPort) });
      direct?.waiting.take(direct.fd);
    });
    direct?.waiting.add(direct.fd, {
      receiver: networkInterface === undefined ? (datagram) => handlers.onDatagram(datagram) : onDatagram,
      isLockStep,
      coalesces,
    });
  }

  send(bytes: Uint8Array, to: UdpAddress): void {
    const headBytes = bytes.length;
    const run = { count: 1, heads: bytes, headBytes, body: NOTHING, offset: 0, length: 0, pieceBytes: 0 };
    this.#sendPart(run, to);
  }

  sendRun(run: DatagramRun, to: UdpAddress): void {
    const atOnce = Math.floor(SEGMENTED_BYTES_MAX / (run.headBytes + run.pieceBytes));
    const partCount = Math.max(1, Math.min(SEGMENTS_MAX, atOnce));
    if (run.count <= partCount) return this.#sendPart(run, to);
    for (let first = 0; first < run.count; first += partCount)
      this.#sendPart(partOf(run, first, Math.min(partCount, run.count - first)), to);
  }

  #sendPart(run: DatagramRun, to: UdpAddress): void {
    if (!this.#closed && !this.#sendDirectly(run, to)) this.#sendSlowly(run, to);
  }

  /** Sends one by one through Node's socket, which queues copies of what the kernel does not take now. */
  #sendSlowly(run: DatagramRun, to: UdpAddress): void {
    if (this.#closed) return;
    for (let index = 0; index < run.count; index += 1) {
      this.#socket.send(datagramAt(run, index), to.port, to.address, (error) => {
        if (error !== null) this.#handlers.onError(error);
      });
    }
  }

  /**
   * Returns false when nothing was sent, for any reason: a full buffer, a segment larger than the path carries (EINVAL), a
   * network interface that cannot segment (EIO). The slower path then sends it, or reports why not.
   */
  #sendDirectly(run: DatagramRun, to: UdpAddress): boolean {
    if (this.#direct === undefined) return false;
    const { waiting, fd, sendOnly } = this.#direct;
    return waiting.send(sendOnly?.fd ?? fd, { run, to, unsent: this.#unsent });
  }

  sendToMac(bytes: Uint8Array, to: UdpAddress, mac: string): boolean {
    if (this.#closed || this.#frames === undefined) return false;
    this.#direct?.waiting.sendWaiting();
    return this.#frames.send(bytes, { from: this.local, to, mac });
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#frames?.close();
    this.#direct?.waiting.remove(this.#direct.fd);
    this.#direct?.sendOnly?.close();
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const NOTHING = new Uint8Array();

function partOf(run: DatagramRun, first: number, count: number): DatagramRun {
  const from = first * run.pieceBytes;
  return {
    ...run,
    count,
    heads: run.heads.subarray(first * run.headBytes),
    offset: run.offset + from,
    length: Math.max(0, Math.min(count * run.pieceBytes, run.length - from)),
  };
}
