/** UDP sockets of a load generator, with direct system calls of Linux. */

const AF_INET = 2;
const SOCK_DGRAM_NONBLOCK = 2 | 0o4000;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const SO_RCVBUFFORCE = 33;
const SOL_UDP = 17;
const UDP_GRO = 104;
const RECEIVE_BUFFER_BYTES = 1024 * 1024;
const SHARED_BUFFER_BYTES = 64 * 1024 * 1024;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const EVENTS_MAX = 64;
/** The number of datagrams that one recvmmsg receives. */
const BATCH = 16;
const DATAGRAM_BYTES = 65_536;
/** The sizes of C structures on 64-bit Linux. */
const SOCKADDR_BYTES = 16;
const MMSGHDR_BYTES = 64;
const MMSGHDR_LENGTH_AT = 56;
const MMSGHDR_CONTROL_BYTES_AT = 40;
const CONTROL_BYTES = 24;
const CONTROL_DATA_AT = 16;
const IOVEC_BYTES = 16;
const EPOLL_EVENT_BYTES = process.arch === 'x64' ? 12 : 16;

export interface LoadSockets {
  /** Opens a socket bound to `address`, on any port. */
  open(address: string): number;
  /**
   * The same for many clients behind one port: with more memory, which root may set, and first in the order
   * of receiving.
   */
  openShared(address: string, port: number): number;
  send(socket: number, bytes: Buffer, port: number): void;
  /**
   * Waits at most `waitMs` for datagrams and delivers those that have arrived. `bytes` are valid during the
   * call. Blocks the process. Returns false when there may be more on other sockets.
   */
  receive(waitMs: number, take: (socket: number, bytes: Buffer, port: number) => void): boolean;
  close(socket: number): void;
}

/** Opens sockets that communicate with the server at `address`. */
export async function createLoadSockets(address: string): Promise<LoadSockets> {
  const { calls: c, getRawPointer } = await systemCalls();
  const batch = receiveBatch(getRawPointer);
  const epoll = mustWork('epoll_create1', c.epoll_create1(0));
  const events = Buffer.alloc(EVENTS_MAX * EPOLL_EVENT_BYTES);
  const server = socketAddress(address, 0);

  const open = (from: string, port: number, buffer: { readonly option: number; readonly bytes: number }) => {
    const socket = mustWork('socket', c.socket(AF_INET, SOCK_DGRAM_NONBLOCK, 0));
    const value = Buffer.alloc(4);
    value.writeUInt32LE(buffer.bytes);
    mustWork('setsockopt', c.setsockopt(socket, SOL_SOCKET, buffer.option, value, 4));
    value.writeUInt32LE(1);
    mustWork('setsockopt', c.setsockopt(socket, SOL_UDP, UDP_GRO, value, 4));
    mustWork('bind', c.bind(socket, socketAddress(from, port), SOCKADDR_BYTES));
    const event = Buffer.alloc(EPOLL_EVENT_BYTES);
    event.writeUInt32LE(EPOLLIN, 0);
    event.writeInt32LE(socket, EPOLL_EVENT_BYTES - 8);
    mustWork('epoll_ctl', c.epoll_ctl(epoll, EPOLL_CTL_ADD, socket, event));
    return socket;
  };
  const shared: number[] = [];

  const drain = (socket: number, take: (socket: number, bytes: Buffer, port: number) => void): number => {
    batch.reset();
    const count = c.recvmmsg(socket, batch.pointer, BATCH, 0, 0n);
    for (let index = 0; index < count; index += 1) {
      const [bytes, port, segment] = [batch.bytesOf(index), batch.portOf(index), batch.segmentOf(index)];
      for (let at = 0; at < bytes.length; at += segment) take(socket, bytes.subarray(at, at + segment), port);
    }
    return count;
  };

  return {
    open: (from) => open(from, 0, { option: SO_RCVBUF, bytes: RECEIVE_BUFFER_BYTES }),
    openShared(from, port) {
      const socket = open(from, port, { option: SO_RCVBUFFORCE, bytes: SHARED_BUFFER_BYTES });
      shared.push(socket);
      return socket;
    },
    send(socket, bytes, port) {
      server.writeUInt16BE(port, 2);
      c.sendto(socket, bytes, BigInt(bytes.length), 0, server, SOCKADDR_BYTES);
    },
    receive(waitMs, take) {
      for (const socket of shared) while (drain(socket, take) === BATCH);
      const count = c.epoll_wait(epoll, events, EVENTS_MAX, waitMs);
      for (let index = 0; index < count; index += 1)
        drain(events.readInt32LE((index + 1) * EPOLL_EVENT_BYTES - 8), take);
      return count < EVENTS_MAX;
    },
    close: (socket) => void c.close(socket),
  };
}

async function systemCalls() {
  const { dlopen, getRawPointer } = await import('node:ffi');
  const { functions: calls } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    bind: { arguments: ['i32', 'buffer', 'u32'], return: 'i32' },
    setsockopt: { arguments: ['i32', 'i32', 'i32', 'buffer', 'u32'], return: 'i32' },
    close: { arguments: ['i32'], return: 'i32' },
    sendto: { arguments: ['i32', 'buffer', 'u64', 'i32', 'buffer', 'u32'], return: 'i64' },
    recvmmsg: { arguments: ['i32', 'pointer', 'u32', 'i32', 'pointer'], return: 'i32' },
    epoll_create1: { arguments: ['i32'], return: 'i32' },
    epoll_ctl: { arguments: ['i32', 'i32', 'i32', 'buffer'], return: 'i32' },
    epoll_wait: { arguments: ['i32', 'buffer', 'i32', 'i32'], return: 'i32' },
  });
  return { calls, getRawPointer };
}

/** Memory for recvmmsg: an array of struct mmsghdr, each with a sockaddr and one iovec. */
function receiveBatch(pointerOf: (bytes: Buffer) => bigint) {
  const headers = Buffer.alloc(BATCH * MMSGHDR_BYTES);
  const names = Buffer.alloc(BATCH * SOCKADDR_BYTES);
  const vectors = Buffer.alloc(BATCH * IOVEC_BYTES);
  const controls = Buffer.alloc(BATCH * CONTROL_BYTES);
  const datagrams = Buffer.alloc(BATCH * DATAGRAM_BYTES);
  for (let index = 0; index < BATCH; index += 1) {
    const header = index * MMSGHDR_BYTES;
    headers.writeBigUInt64LE(pointerOf(names) + BigInt(index * SOCKADDR_BYTES), header);
    headers.writeUInt32LE(SOCKADDR_BYTES, header + 8);
    headers.writeBigUInt64LE(pointerOf(vectors) + BigInt(index * IOVEC_BYTES), header + 16);
    headers.writeBigUInt64LE(1n, header + 24);
    headers.writeBigUInt64LE(pointerOf(controls) + BigInt(index * CONTROL_BYTES), header + 32);
    const vector = index * IOVEC_BYTES;
    vectors.writeBigUInt64LE(pointerOf(datagrams) + BigInt(index * DATAGRAM_BYTES), vector);
    vectors.writeBigUInt64LE(BigInt(DATAGRAM_BYTES), vector + 8);
  }
  return {
    pointer: pointerOf(headers),
    /** The kernel overwrites the size of the buffer. */
    reset(): void {
      for (let index = 0; index < BATCH; index += 1)
        headers.writeUInt32LE(CONTROL_BYTES, index * MMSGHDR_BYTES + MMSGHDR_CONTROL_BYTES_AT);
    },
    /**
     * Returns the bytes of each datagram where several arrived as one (UDP_GRO). Otherwise it returns more
     * than there are.
     */
    segmentOf(index: number): number {
      const isJoined = headers.readUInt32LE(index * MMSGHDR_BYTES + MMSGHDR_CONTROL_BYTES_AT) > 0;
      return isJoined ? controls.readInt32LE(index * CONTROL_BYTES + CONTROL_DATA_AT) : DATAGRAM_BYTES;
    },
    bytesOf(index: number): Buffer {
      const at = index * DATAGRAM_BYTES;
      return datagrams.subarray(at, at + headers.readUInt32LE(index * MMSGHDR_BYTES + MMSGHDR_LENGTH_AT));
    },
    portOf: (index: number): number => names.readUInt16BE(index * SOCKADDR_BYTES + 2),
    // Keeps the memory alive that the headers point to.
    owned: [headers, names, vectors, controls, datagrams],
  };
}

/** struct sockaddr_in. */
function socketAddress(address: string, port: number): Buffer {
  const bytes = Buffer.alloc(SOCKADDR_BYTES);
  bytes.writeUInt16LE(AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  for (const [index, part] of address.split('.').entries()) bytes[4 + index] = Number(part);
  return bytes;
}

function mustWork(call: string, result: number): number {
  if (result < 0) throw new Error(`${call} failed`);
  return result;
}
