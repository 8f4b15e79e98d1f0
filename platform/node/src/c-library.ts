/** The few calls of the C library that Node has no API for. Each returns the negative errno on failure, as the kernel does. */
import type { getInt32 as GetInt32 } from 'node:ffi';
import { SOL_SOCKET } from './socket-numbers.ts';

/** The kind of decision that a program makes: which packets pass, or which of the sockets that share a port receives them. */
const PROGRAM_OPTIONS = { filter: 26, reuseport: 51 } as const;
const FILTER_INSTRUCTION_BYTES = 8;

export interface CLibrary {
  socket(domain: number, type: number, protocol: number): number;
  setSocketOption(fd: number, option: { level: number; name: number; value: Uint8Array }): number;
  bind(fd: number, address: Uint8Array): number;
  /** Writes the address of a bound socket, truncated to the length of `into`. */
  addressOf(fd: number, into: Uint8Array): number;
  /** The program is a sequence of struct sock_filter. */
  attachProgram(fd: number, purpose: keyof typeof PROGRAM_OPTIONS, program: Uint8Array): number;
  /** Returns the index of a network interface in this network namespace, or 0 when the name is unknown. */
  interfaceIndex(name: string): number;
  sendTo(fd: number, message: { readonly bytes: Uint8Array; readonly to: Uint8Array }): number;
  /** Receives one waiting datagram and returns its length in bytes. A longer datagram is truncated. */
  receive(fd: number, into: Uint8Array): number;
  close(fd: number): void;
}

let loaded: Promise<CLibrary> | undefined;

/** Loads on first use, because most programs never need it. */
export function cLibrary(): Promise<CLibrary> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<CLibrary> {
  const { dlopen, getInt32, getRawPointer } = await withoutFfiWarning(() => import('node:ffi'));
  const { functions } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    setsockopt: { arguments: ['i32', 'i32', 'i32', 'buffer', 'u32'], return: 'i32' },
    bind: { arguments: ['i32', 'buffer', 'u32'], return: 'i32' },
    getsockname: { arguments: ['i32', 'buffer', 'buffer'], return: 'i32' },
    if_nametoindex: { arguments: ['buffer'], return: 'u32' },
    sendto: { arguments: ['i32', 'buffer', 'u64', 'i32', 'buffer', 'u32'], return: 'i64' },
    recv: { arguments: ['i32', 'buffer', 'u64', 'i32'], return: 'i64' },
    close: { arguments: ['i32'], return: 'i32' },
    __errno_location: { arguments: [], return: 'pointer' },
  });
  /** Read errno before anything else runs. */
  const checked = (result: number): number =>
    result < 0 ? -errno(getInt32, functions.__errno_location()) : result;
  return {
    socket: (domain, type, protocol) => checked(functions.socket(domain, type, protocol)),
    setSocketOption: (fd, { level, name, value }) =>
      checked(functions.setsockopt(fd, level, name, value, value.length)),
    attachProgram(fd, purpose, program) {
      // Separate memory that does not move, because the kernel gets its address.
      const instructions = new Uint8Array(new ArrayBuffer(program.length));
      instructions.set(program);
      const value = filterProgram(program.length, getRawPointer(instructions));
      return checked(functions.setsockopt(fd, SOL_SOCKET, PROGRAM_OPTIONS[purpose], value, value.length));
    },
    bind: (fd, address) => checked(functions.bind(fd, address, address.length)),
    addressOf: (fd, into) =>
      checked(functions.getsockname(fd, into, new Uint8Array(Uint32Array.of(into.length).buffer))),
    interfaceIndex: (name) => functions.if_nametoindex(new TextEncoder().encode(`${name}\0`)),
    sendTo: (fd, { bytes, to }) =>
      checked(Number(functions.sendto(fd, bytes, BigInt(bytes.length), 0, to, to.length))),
    receive: (fd, into) => checked(Number(functions.recv(fd, into, BigInt(into.length), 0))),
    close: (fd) => void functions.close(fd),
  };
}

/** struct sock_fprog on a 64-bit machine. */
function filterProgram(lengthBytes: number, pointer: bigint): Uint8Array {
  const value = new DataView(new ArrayBuffer(16));
  value.setUint16(0, lengthBytes / FILTER_INSTRUCTION_BYTES, true);
  value.setBigUint64(8, pointer, true);
  return new Uint8Array(value.buffer);
}

function errno(read: typeof GetInt32, location: bigint): number {
  return read(location);
}

/** Node warns that FFI is experimental, which is not useful to an operator. */
export async function withoutFfiWarning<Value>(body: () => Promise<Value>): Promise<Value> {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('FFI')) emitWarning(warning, ...rest);
  };
  try {
    return await body();
  } finally {
    process.emitWarning = emitWarning;
  }
}
