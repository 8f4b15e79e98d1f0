/**
 * Which of many sockets have something to read, by one system call. Node's event loop hands out one datagram at a time, each
 * with a buffer, an address object and a callback of its own; that costs more than the system calls. So the first datagram of a
 * turn comes from the event loop, and what waits on any socket by then is taken here.
 */
import { withoutFfiWarning } from './c-library.ts';

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const POLLIN = 1;
const LISTED_MAX = 64;
/** struct epoll_event is packed on x86-64 only. Both lengths in 32-bit words. */
const EVENT = process.arch === 'x64' ? { words: 3, data: 1 } : { words: 4, data: 2 };

export interface ReadySockets {
  /** From now on. Closing the socket ends it. */
  watch(fd: number): void;
  /** How many have something to read, at most 64; never waits. The next call begins with the others. */
  look(): number;
  /** The descriptor of one of them, counted from 0; valid until the next call of `look`. */
  fdAt(index: number): number;
}

/** Linux on 64 bits. Rejects where there is no FFI. */
export async function createReadySockets(): Promise<ReadySockets> {
  const { dlopen, getRawPointer } = await withoutFfiWarning(() => import('node:ffi'));
  const { functions } = dlopen(null, {
    epoll_create1: { arguments: ['i32'], return: 'i32' },
    epoll_ctl: { arguments: ['i32', 'i32', 'i32', 'pointer'], return: 'i32' },
    epoll_wait: { arguments: ['i32', 'pointer', 'i32', 'i32'], return: 'i32' },
    poll: { arguments: ['pointer', 'u32', 'i32'], return: 'i32' },
  });
  // Memory of their own, which does not move: the kernel gets its address.
  const events = new Int32Array(new ArrayBuffer(LISTED_MAX * EVENT.words * 4));
  const added = new Int32Array(new ArrayBuffer(EVENT.words * 4));
  // struct pollfd: whether the epoll has anything to list. An FFI call with three arguments takes a third of one with four.
  const asked = new Int32Array(new ArrayBuffer(8));
  const [eventsAt, addedAt, askedAt] = [getRawPointer(events), getRawPointer(added), getRawPointer(asked)];
  const epoll = functions.epoll_create1(EPOLL_CLOEXEC);
  asked[0] = epoll;
  return {
    watch(fd) {
      added[0] = EPOLLIN;
      added[EVENT.data] = fd;
      functions.epoll_ctl(epoll, EPOLL_CTL_ADD, fd, addedAt);
    },
    look() {
      // What was found before is cleared by this; memory that no code refers to would be given to others.
      asked[1] = POLLIN;
      if (functions.poll(askedAt, 1, 0) <= 0) return 0;
      return Math.max(0, functions.epoll_wait(epoll, eventsAt, LISTED_MAX, 0));
    },
    fdAt: (index) => events[index * EVENT.words + EVENT.data] ?? -1,
  };
}
