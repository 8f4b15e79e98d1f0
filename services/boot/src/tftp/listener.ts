import type {
  Datagram,
  NetworkInterface,
  UdpAddress,
  UdpHandlers,
  UdpPeer,
  UdpSocket,
} from '@tinkerbell/platform-contract';
import { decodeTftp, encodeTftp, tftpError, type TftpPacket } from '@tinkerbell/tftp';
import type { DecodeFailure } from '@tinkerbell/wire';
import { blockSizeBytesMaxFor } from './block-size.ts';
import type { BootFiles } from '../boot-files/index.ts';
import type { BootDeps, TftpConfig } from '../config.ts';
import { RunningTransfer } from './transfer.ts';
import type { TftpTimeline } from './timeline.ts';

type TftpRequest = Extract<TftpPacket, { fileName: string }>;

interface TftpListenerInput {
  readonly deps: Pick<BootDeps, 'udp' | 'clock' | 'log'>;
  readonly config: TftpConfig;
  readonly files: BootFiles;
  readonly timeline: TftpTimeline;
}

const LINGER_MS = 1_000;
/** Transfers of one second at more than the highest rate measured. */
const LATELY_MAX = 4_096;
/** They change rarely, and querying the kernel costs as much as a short transfer. */
const INTERFACES_KEPT_MS = 5_000;

/** A transfer from its request on. `running` is absent while the file is read. */
interface Slot {
  readonly fileName: string;
  running?: RunningTransfer;
  socket?: UdpSocket;
}

/** The TFTP server. It accepts only read requests. Each is a separate transfer, and their number is bounded. */
export class TftpListener {
  readonly #input: TftpListenerInput;
  readonly #slots = new Map<string, Slot>();
  readonly #perClient = new Map<string, number>();
  /** Sockets of transfers, each with the function that cancels its closing. */
  readonly #transferSockets = new Map<UdpSocket, () => void>();
  /** Peers whose transfer over the single port has ended, each with its expiry time, oldest first. */
  readonly #lately = new Map<string, number>();
  #interfaces: { readonly all: readonly NetworkInterface[]; readonly readAtMs: number } | undefined;
  #socket: UdpSocket | undefined;
  #isStopped = false;

  constructor(input: TftpListenerInput) {
    this.#input = input;
  }

  async start(): Promise<void> {
    const { deps, config } = this.#input;
    const { address, port } = config;
    this.#socket = await deps.udp.open(
      { address, port, isLockStep: true },
      this.#handlers((datagram) => this.#onRequest(datagram)),
    );
  }

  /** The bound address, or undefined before `start`. */
  get local(): UdpAddress | undefined {
    return this.#socket?.local;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const slot of this.#slots.values()) slot.running?.stop();
    const sockets = [...this.#transferSockets];
    for (const [, cancelClosing] of sockets) cancelClosing();
    await Promise.all([this.#socket?.close(), ...sockets.map(([socket]) => socket.close())]);
  }

  #handlers(onDatagram: (datagram: Datagram) => void): UdpHandlers {
    const onError = (error: Error) =>
      this.#input.deps.log.warn('TFTP socket error', { error: error.message });
    return { onDatagram, onError };
  }

  /** Handles a packet to the server's own port: a new request, or in single-port mode any packet of a transfer. */
  #onRequest({ bytes, peer }: Datagram): void {
    const decoded = decodeTftp(bytes);
    if (!decoded.ok) return this.#onUndecodable(bytes, peer, decoded.error);
    const packet = decoded.value;
    switch (packet.kind) {
      case 'read-request':
        return this.#onReadRequest(packet, peer);
      case 'write-request':
        this.#input.timeline.ignored(peer, 'write-request');
        return this.#refuse(peer, tftpError.accessViolation, 'this server is read only');
      default: {
        const slot = this.#input.config.singlePort ? this.#slots.get(peer.key) : undefined;
        if (slot !== undefined) return slot.running?.onPacket(packet);
        this.#input.timeline.ignored(peer, 'no-such-transfer');
        return this.#refuseUnknown(packet, peer, this.#socket);
      }
    }
  }

  #onUndecodable(bytes: Uint8Array, peer: UdpAddress, error: DecodeFailure): void {
    this.#input.timeline.ignored(peer, error.code);
    const isRequest = bytes[0] === 0 && bytes[1] === 1;
    if (isRequest) this.#refuse(peer, tftpError.illegalOperation, error.message);
  }

  #onReadRequest(request: TftpRequest, peer: UdpPeer): void {
    const { timeline, config } = this.#input;
    const key = peer.key;
    const before = this.#slots.get(key);
    // The client repeats its request because the first reply is late or lost. The transfer's own timer
    // handles that.
    if (before?.fileName === request.fileName) return undefined;
    // The same port requests another file: it has given up on the first one.
    before?.running?.abandon();
    if (this.#slots.has(key)) return undefined;
    const ofClient = this.#perClient.get(peer.address) ?? 0;
    if (this.#slots.size >= config.transfersMax || ofClient >= config.transfersPerClientMax) {
      timeline.ignored(peer, 'too-many-transfers');
      return this.#refuse(peer, tftpError.notDefined, 'too many transfers, try again later');
    }
    if (request.mode !== 'octet') {
      timeline.ignored(peer, 'mode-not-octet');
      return this.#refuse(peer, tftpError.illegalOperation, 'only mode octet (binary) is supported');
    }
    const slot: Slot = { fileName: request.fileName };
    this.#slots.set(key, slot);
    this.#perClient.set(peer.address, ofClient + 1);
    void this.#begin(slot, request, peer).catch((error: unknown) => {
      this.#input.deps.log.error('TFTP transfer could not begin', {
        file: request.fileName,
        error: String(error),
      });
      this.#refuse(peer, tftpError.notDefined, 'the file could not be read');
      this.#release(slot, peer);
    });
  }

  async #begin(slot: Slot, request: TftpRequest, peer: UdpPeer): Promise<void> {
    const { deps, config, files, timeline } = this.#input;
    const { fileName, options } = request;
    const found = await files.find({ fileName, clientAddress: peer.address });
    // The client has requested another file meanwhile, or the server stops, so nobody waits for this one.
    if (this.#isStopped || this.#slots.get(peer.key) !== slot) return this.#release(slot, peer);
    if (found.kind === 'not-found') {
      timeline.notFound(peer, fileName, found.asked);
      this.#refuse(peer, tftpError.fileNotFound, `file [${fileName}] unknown`);
      return this.#release(slot, peer);
    }
    if (found.kind === 'refused') {
      timeline.refused(peer, fileName, found.message);
      this.#refuse(peer, tftpError.accessViolation, found.message);
      return this.#release(slot, peer);
    }
    const socket = config.singlePort ? this.#socket : await this.#openTransferSocket(slot, peer);
    if (socket === undefined || this.#isStopped) {
      await slot.socket?.close();
      return this.#release(slot, peer);
    }
    slot.running = new RunningTransfer({
      file: found.file,
      options,
      peer,
      limits: { ...config.limits, blockSizeBytesMax: this.#blockSizeBytesMax(peer) },
      clock: deps.clock,
      socket,
      onMoved: (progress) => timeline.moved({ peer, fileName, ...progress }),
      onEnd: (report) => {
        timeline.ended({ peer, fileName, report });
        this.#release(slot, peer);
      },
    });
  }

  #blockSizeBytesMax(peer: UdpPeer): number {
    const { deps, config } = this.#input;
    if (config.limits.blockSizeBytesMax !== undefined) return config.limits.blockSizeBytesMax;
    const nowMs = deps.clock.monotonicMs();
    if (this.#interfaces === undefined || nowMs - this.#interfaces.readAtMs > INTERFACES_KEPT_MS)
      this.#interfaces = { all: deps.udp.networkInterfaces(), readAtMs: nowMs };
    return blockSizeBytesMaxFor(peer.address, this.#interfaces.all);
  }

  /** The transfer's own port. Any other sender gets an error, and the transfer continues (RFC 1350 section 4). */
  async #openTransferSocket(slot: Slot, peer: UdpPeer): Promise<UdpSocket> {
    const { deps, config, timeline } = this.#input;
    const onDatagram = (datagram: Datagram) => {
      if (datagram.peer.port !== peer.port || datagram.peer.address !== peer.address) {
        timeline.ignored(datagram.peer, 'wrong-transfer');
        const wrong = decodeTftp(datagram.bytes);
        return wrong.ok ? this.#refuseUnknown(wrong.value, datagram.peer, slot.socket) : undefined;
      }
      const decoded = decodeTftp(datagram.bytes);
      return decoded.ok ? slot.running?.onPacket(decoded.value) : timeline.ignored(peer, decoded.error.code);
    };
    const socket = await deps.udp.open(
      { address: config.address, port: 0, isLockStep: true },
      this.#handlers(onDatagram),
    );
    slot.socket = socket;
    this.#transferSockets.set(socket, () => {});
    return socket;
  }

  #release(slot: Slot, peer: UdpPeer): void {
    if (this.#slots.get(peer.key) !== slot) return;
    this.#slots.delete(peer.key);
    const left = (this.#perClient.get(peer.address) ?? 1) - 1;
    if (left > 0) this.#perClient.set(peer.address, left);
    else this.#perClient.delete(peer.address);
    if (this.#isStopped) return;
    if (slot.socket !== undefined) this.#closeSoon(slot.socket);
    else if (slot.running !== undefined) this.#rememberEnded(peer);
  }

  #endedLately({ key }: UdpPeer): boolean {
    return (this.#lately.get(key) ?? 0) > this.#input.deps.clock.monotonicMs();
  }

  #rememberEnded({ key }: UdpPeer): void {
    const { clock } = this.#input.deps;
    const nowMs = clock.monotonicMs();
    for (const [ended, untilMs] of this.#lately) {
      if (untilMs > nowMs && this.#lately.size < LATELY_MAX) break;
      this.#lately.delete(ended);
    }
    this.#lately.delete(key);
    this.#lately.set(key, nowMs + LINGER_MS);
  }

  /** Not at once: the last packet may still be queued, and a late acknowledgement must find an open port. */
  #closeSoon(socket: UdpSocket): void {
    const cancel = this.#input.deps.clock.schedule(LINGER_MS, () => {
      this.#transferSockets.delete(socket);
      void socket.close();
    });
    this.#transferSockets.set(socket, cancel);
  }

  /**
   * RFC 1350 section 4: a packet that belongs to no transfer of its sender. An error gets no error in reply, or two servers would
   * exchange them for ever. A repeated last acknowledgement gets none either, or the error would end the next transfer of its
   * port.
   */
  #refuseUnknown(packet: TftpPacket, peer: UdpPeer, socket: UdpSocket | undefined): void {
    if (packet.kind === 'error' || this.#endedLately(peer)) return;
    const error = { kind: 'error', code: tftpError.unknownTransfer, message: 'unknown transfer' } as const;
    socket?.send(encodeTftp(error), peer);
  }

  #refuse(peer: UdpAddress, code: number, message: string): void {
    const text = message.replaceAll(/\p{Cc}/gu, '?').slice(0, 200);
    this.#socket?.send(encodeTftp({ kind: 'error', code, message: text }), peer);
  }
}
