/** Linux numbers of <sys/socket.h> and values of socket options, for calls of the C library. */
export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_PACKET = 17;

/** Second argument of socket(2): kind of socket, SOCK_NONBLOCK, SOCK_CLOEXEC. */
const NONBLOCK_CLOEXEC = 0o4000 | 0o2000000;
export const SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | NONBLOCK_CLOEXEC;
export const SOCK_RAW_NONBLOCK_CLOEXEC = 3 | NONBLOCK_CLOEXEC;

export const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;

/** An option's value of type int. */
export function optionValue(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

/** The option that limits a socket to one network interface, for receiving and sending. */
export function interfaceOption(name: string): {
  readonly level: number;
  readonly name: number;
  readonly value: Uint8Array;
} {
  return { level: SOL_SOCKET, name: SO_BINDTODEVICE, value: new TextEncoder().encode(`${name}\0`) };
}
