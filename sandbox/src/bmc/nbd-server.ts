/**
 * A disc as a network block device, so that QEMU has it in its CD drive (the NBD protocol of github.com/NetworkBlockDevice/nbd,
 * doc/proto.md: fixed newstyle handshake, simple replies, reads only).
 */
import { createServer, type Server, type Socket } from 'node:net';

export interface ReadableDisc {
  sizeBytes(): Promise<number>;
  read(offset: number, length: number): Promise<Uint8Array>;
}

const MAGIC = Buffer.from('NBDMAGICIHAVEOPT');
const OPTION_REPLY_MAGIC = 0x3e889045565a9n;
const REQUEST_MAGIC = 0x25609513;
const REPLY_MAGIC = 0x67446698;
const handshake = { fixedNewstyle: 1, noZeroes: 2 } as const;
const option = { exportName: 1, abort: 2, info: 6, go: 7 } as const;
const reply = { ack: 1, info: 3, unsupported: 0x80000001 } as const;
const command = { read: 0, disconnect: 2, flush: 3 } as const;
const error = { none: 0, io: 5, invalid: 22 } as const;
/** Has flags, and is read-only. */
const TRANSMISSION_FLAGS = 0x03;
const OPTION_BYTES_MAX = 4096;
/** The most that QEMU asks for. */
const READ_BYTES_MAX = 32 * 1024 * 1024;

export class NbdServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(disc: ReadableDisc) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
      void serve(socket, disc).finally(() => socket.destroy());
    });
  }

  /** Listens on 127.0.0.1. */
  static async open(disc: ReadableDisc): Promise<NbdServer> {
    const server = new NbdServer(disc);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    await promise;
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    return `nbd://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/disc`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }
}

/** Returns when the client leaves, or breaks the protocol. */
async function serve(socket: Socket, disc: ReadableDisc): Promise<void> {
  const input = new SocketInput(socket);
  try {
    socket.write(Buffer.concat([MAGIC, uint16(handshake.fixedNewstyle | handshake.noZeroes)]));
    const hasNoZeroes = ((await input.take(4)).readUInt32BE() & handshake.noZeroes) !== 0;
    if (await negotiate({ socket, input, disc, hasNoZeroes })) await transmit({ socket, input, disc });
  } catch {
    // The client has gone.
  }
}

interface Talk {
  readonly socket: Socket;
  readonly input: SocketInput;
  readonly disc: ReadableDisc;
}

/** Returns whether the client has chosen the disc. */
async function negotiate({
  socket,
  input,
  disc,
  hasNoZeroes,
}: Talk & { hasNoZeroes: boolean }): Promise<boolean> {
  for (;;) {
    const head = await input.take(16);
    const [chosen, length] = [head.readUInt32BE(8), head.readUInt32BE(12)];
    if (length > OPTION_BYTES_MAX) return false;
    await input.take(length);
    const facts = Buffer.concat([uint64(await disc.sizeBytes()), uint16(TRANSMISSION_FLAGS)]);
    switch (chosen) {
      case option.exportName:
        socket.write(Buffer.concat([facts, Buffer.alloc(hasNoZeroes ? 0 : 124)]));
        return true;
      case option.go:
      case option.info:
        socket.write(optionReply(chosen, reply.info, Buffer.concat([uint16(0), facts])));
        socket.write(optionReply(chosen, reply.ack));
        if (chosen === option.go) return true;
        break;
      case option.abort:
        socket.write(optionReply(chosen, reply.ack));
        return false;
      default:
        socket.write(optionReply(chosen, reply.unsupported));
    }
  }
}

function optionReply(chosen: number, kind: number, data: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([uint64(OPTION_REPLY_MAGIC), ...[chosen, kind, data.length].map(uint32), data]);
}

async function transmit({ socket, input, disc }: Talk): Promise<void> {
  for (;;) {
    const head = await input.take(28);
    if (head.readUInt32BE() !== REQUEST_MAGIC) return;
    const [kind, cookie] = [head.readUInt16BE(6), head.subarray(8, 16)];
    if (kind === command.disconnect) return;
    const request = { kind, offset: Number(head.readBigUInt64BE(16)), length: head.readUInt32BE(24) };
    const { code, data } = await answerTo(disc, request);
    socket.write(Buffer.concat([uint32(REPLY_MAGIC), uint32(code), cookie, data]));
  }
}

async function answerTo(
  disc: ReadableDisc,
  { kind, offset, length }: { readonly kind: number; readonly offset: number; readonly length: number },
): Promise<{ readonly code: number; readonly data: Uint8Array }> {
  const data = new Uint8Array();
  if (kind === command.flush) return { code: error.none, data };
  if (kind !== command.read || length > READ_BYTES_MAX) return { code: error.invalid, data };
  try {
    return { code: error.none, data: await disc.read(offset, length) };
  } catch {
    return { code: error.io, data };
  }
}

/** The bytes of a socket, in pieces of the asked length. */
class SocketInput {
  readonly #chunks: AsyncIterator<Buffer>;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Rejects when the socket ends before. */
  async take(length: number): Promise<Buffer> {
    while (this.#waiting.length < length) {
      const { done, value } = await this.#chunks.next();
      if (done === true) throw new Error('the client has gone');
      this.#waiting = Buffer.concat([this.#waiting, value]);
    }
    const taken = this.#waiting.subarray(0, length);
    this.#waiting = this.#waiting.subarray(length);
    return taken;
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
