/**
 * Finds which of many sockets have something to read, by one system call. Node's event loop delivers one datagram at a time, each
 * with its own buffer, address object and callback, which costs more than the system calls. So the first datagram of a turn comes
 * from the event loop, and everything that waits on any socket by then is read here.
 *
 * The first sockets are polled directly: the kernel notifies a watching epoll of each received and each sent datagram, which
 * costs a twentieth of a send. The others are polled through an epoll, whatever their number.
 */
import { withoutFfiWarning } from './c-library.ts';

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const POLLIN = 1;
const LISTED_MAX = 64;
/** The number of sockets polled directly: the listeners of a server with some network interfaces. */
const ASKED_MAX = 16;
/** struct epoll_event is packed on x86-64 only. All lengths in 32-bit words. */
const EVENT = process.arch === 'x64' ? { words: 3, data: 1 } : { words: 4, data: 2 };
/** struct pollfd: the descriptor, then 16 bits of requested and 16 bits of returned events. */
const ASKED = { words: 2, events: 1 } as const;
/** A descriptor that the kernel ignores. */
const NOBODY = -1;

export interface ReadySockets {
  /** Watches the socket from now on. */
  watch(fd: number): void;
  /** Call it before the descriptor is closed. */
  forget(fd: number): void;
  /** Returns how many sockets have something to read, at most 80. Never blocks. The next call starts with the others. */
  look(): number;
  /** Returns the descriptor of one of them, counted from 0. Valid until the next call of `look`. */
  fdAt(index: number): number;
}

type Calls = Awaited<ReturnType<typeof pollCalls>>;

/** 64-bit Linux only. Rejects without FFI. */
export async function createReadySockets(): Promise<ReadySockets> {
  return new PolledSockets(await pollCalls());
}

async function pollCalls() {
  const { dlopen, getRawPointer } = await withoutFfiWarning(() => import('node:ffi'));
  const { functions } = dlopen(null, {
    epoll_create1: { arguments: ['i32'], return: 'i32' },
    epoll_ctl: { arguments: ['i32', 'i32', 'i32', 'pointer'], return: 'i32' },
    epoll_wait: { arguments: ['i32', 'pointer', 'i32', 'i32'], return: 'i32' },
    poll: { arguments: ['pointer', 'u32', 'i32'], return: 'i32' },
  });
  return { ...functions, getRawPointer };
}

/** Separate memory that does not move, because the kernel gets its address. */
function ownWords(words: number): Int32Array {
  return new Int32Array(new ArrayBuffer(words * 4));
}

class PolledSockets implements ReadySockets {
  readonly #calls: Calls;
  readonly #epoll: number;
  readonly #events = ownWords(LISTED_MAX * EVENT.words);
  readonly #added = ownWords(EVENT.words);
  /**
   * The epoll comes first. Its readiness is polled together with the sockets, because a call with four arguments takes three
   * times as long.
   */
  readonly #asked = ownWords((ASKED_MAX + 1) * ASKED.words).fill(NOBODY);
  readonly #pointers: { readonly events: bigint; readonly added: bigint; readonly asked: bigint };
  readonly #found = new Int32Array(ASKED_MAX + LISTED_MAX);
  #places = 1;

  constructor(calls: Calls) {
    this.#calls = calls;
    this.#epoll = calls.epoll_create1(EPOLL_CLOEXEC);
    this.#asked[0] = this.#epoll;
    const pointer = (words: Int32Array) => calls.getRawPointer(words);
    this.#pointers = {
      events: pointer(this.#events),
      added: pointer(this.#added),
      asked: pointer(this.#asked),
    };
  }

  watch(fd: number): void {
    const place = this.#placeOf(NOBODY);
    if (place > 0) {
      this.#asked[place * ASKED.words] = fd;
      this.#places = Math.max(this.#places, place + 1);
      return;
    }
    this.#added[0] = EPOLLIN;
    this.#added[EVENT.data] = fd;
    this.#calls.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, fd, this.#pointers.added);
  }

  forget(fd: number): void {
    const place = this.#placeOf(fd);
    // The kernel removes a closed socket from an epoll.
    if (place > 0) this.#asked[place * ASKED.words] = NOBODY;
  }

  look(): number {
    const asked = this.#asked;
    const places = this.#places;
    for (let place = 0; place < places; place += 1) asked[place * ASKED.words + ASKED.events] = POLLIN;
    if (this.#calls.poll(this.#pointers.asked, places, 0) <= 0) return 0;
    let count = 0;
    for (let place = 1; place < places; place += 1) {
      if (asked[place * ASKED.words + ASKED.events] === POLLIN) continue;
      this.#found[count] = asked[place * ASKED.words] ?? NOBODY;
      count += 1;
    }
    return asked[ASKED.events] === POLLIN ? count : this.#addListed(count);
  }

  fdAt(index: number): number {
    return this.#found[index] ?? NOBODY;
  }

  #addListed(count: number): number {
    const listed = this.#calls.epoll_wait(this.#epoll, this.#pointers.events, LISTED_MAX, 0);
    for (let index = 0; index < listed; index += 1)
      this.#found[count + index] = this.#events[index * EVENT.words + EVENT.data] ?? NOBODY;
    return count + Math.max(0, listed);
  }

  /** 0 when the slot is empty. */
  #placeOf(fd: number): number {
    for (let place = 1; place <= ASKED_MAX; place += 1)
      if (this.#asked[place * ASKED.words] === fd) return place;
    return 0;
  }
}
