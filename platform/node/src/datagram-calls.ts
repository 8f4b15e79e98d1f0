/**
 * Sends and receives datagrams by system call, for what Node's own sockets do too slowly: a send that is complete when it
 * returns, many datagrams in one call, and reading everything that waits without a turn of the event loop for each. Linux, IPv4.
 */
import type { Datagram } from '@tinkerbell/platform-contract';
import { withoutFfiWarning } from './c-library.ts';
import { BATCH } from './datagram-structures.ts';
import { IncomingBatch } from './incoming-batch.ts';
import { OutgoingBatch, type Outgoing } from './outgoing-batch.ts';

const MSG_DONTWAIT = 0x40;
const PR_SET_TIMERSLACK = 29;
const PUNCTUAL_NANOSECONDS = 1000n;

export interface DatagramCalls {
  /** Returns true when the kernel has taken the bytes. Returns false on any failure, and then it took none. */
  send(fd: number, outgoing: Outgoing): boolean;
  /**
   * Sends a little later, with others of the same socket in one call: at the next `flush` or before it. The heads are copied, the
   * body is not. Returns false when the heads are too many to keep.
   */
  sendLater(fd: number, outgoing: Outgoing): boolean;
  flush(): void;
  /** Returns the next waiting datagram, valid until the next call, or undefined when none waits. Never blocks. */
  receive(fd: number): Datagram | undefined;
  /** Delivers up to `BATCH` waiting datagrams and returns how many. */
  receiveMany(fd: number, take: (datagram: Datagram) => void): number;
  /** Blocks this thread for so long. */
  pause(microseconds: number): void;
}

let loaded: Promise<DatagramCalls | undefined> | undefined;

/** Undefined except on 64-bit Linux with FFI. */
export function datagramCalls(): Promise<DatagramCalls | undefined> {
  const isSupported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  loaded ??= isSupported ? load().catch(() => undefined) : Promise.resolve(undefined);
  return loaded;
}

async function load(): Promise<DatagramCalls> {
  const { dlopen, getRawPointer } = await withoutFfiWarning(() => import('node:ffi'));
  // Node takes a third of the time for calls with three arguments and results that fit a number. For few
  // messages, use the singular forms.
  const { functions } = dlopen(null, {
    sendmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
    usleep: { arguments: ['u32'], return: 'i32' },
    prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' },
    recvmsg: { arguments: ['i32', 'pointer', 'i32'], return: 'i32' },
    sendmmsg: { arguments: ['i32', 'pointer', 'u32', 'i32'], return: 'i32' },
    recvmmsg: { arguments: ['i32', 'pointer', 'u32', 'i32', 'pointer'], return: 'i32' },
  });
  /** Of this thread. Otherwise the kernel adds up to 50 microseconds to each pause. */
  let isPunctual = false;
  const incoming = new IncomingBatch(getRawPointer);
  const outgoing = new OutgoingBatch(getRawPointer, {
    one: (fd, message) => functions.sendmsg(fd, message, MSG_DONTWAIT),
    many: (fd, messages, count) => functions.sendmmsg(fd, messages, count, MSG_DONTWAIT),
  });
  return {
    send: (fd, one) => outgoing.send(fd, one),
    sendLater: (fd, one) => outgoing.add(fd, one),
    flush: () => outgoing.flush(),
    receive(fd) {
      const length = functions.recvmsg(fd, incoming.pointer, MSG_DONTWAIT);
      if (length < 0) return undefined;
      incoming.expect(1);
      return incoming.at(0, length);
    },
    receiveMany(fd, take) {
      const count = functions.recvmmsg(fd, incoming.pointer, BATCH, MSG_DONTWAIT, 0n);
      incoming.expect(count);
      for (let index = 0; index < count; index += 1) take(incoming.at(index));
      return Math.max(0, count);
    },
    pause(microseconds) {
      isPunctual ||= functions.prctl(PR_SET_TIMERSLACK, PUNCTUAL_NANOSECONDS, 0n, 0n, 0n) === 0;
      functions.usleep(microseconds);
    },
  };
}
