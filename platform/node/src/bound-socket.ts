/**
 * A UDP socket made by system calls. Node's own API gives no descriptor, and cannot bind to one network interface, which a socket
 * needs to know where a datagram arrived and to send the answer there.
 */
import { PlatformError, type UdpOptions } from '@tinkerbell/platform-contract';
import { cLibrary, type CLibrary } from './c-library.ts';
import { RECEIVE_BUFFER_BYTES } from './receive-buffer.ts';
import { socketAddress } from './socket-address.ts';
import { socketFailure } from './socket-failure.ts';
import {
  AF_INET,
  SOCK_DGRAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
  interfaceOption,
  optionValue,
} from './socket-numbers.ts';

const SO_REUSEADDR = 2;
const SO_BROADCAST = 6;
const SO_RCVBUF = 8;
const SO_RCVBUFFORCE = 33;

/** Returns the descriptor of a bound, non-blocking socket. Linux only. */
export async function boundSocket(options: UdpOptions): Promise<number> {
  if (process.platform !== 'linux') {
    throw new PlatformError(
      'unavailable',
      `cannot bind to ${options.networkInterface ?? 'a descriptor'}: only Linux has sockets bound to a network interface`,
    );
  }
  const library = await cLibrary();
  const fd = library.socket(AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0);
  if (fd < 0) throw failure(options, fd);
  const result = configure(library, fd, options);
  if (result < 0) {
    library.close(fd);
    throw failure(options, result);
  }
  return fd;
}

function configure(library: CLibrary, fd: number, options: UdpOptions): number {
  const on = { level: SOL_SOCKET, value: optionValue(1) };
  const settings = [
    ...(options.networkInterface === undefined ? [] : [interfaceOption(options.networkInterface)]),
    ...(options.reuseAddress ? [{ ...on, name: SO_REUSEADDR }] : []),
    ...(options.broadcast ? [{ ...on, name: SO_BROADCAST }] : []),
  ];
  for (const setting of settings) {
    const result = library.setSocketOption(fd, setting);
    if (result < 0) return result;
  }
  enlargeReceiveBuffer(library, fd);
  return library.bind(fd, socketAddress(options.address ?? '0.0.0.0', options.port));
}

/** Exceeds the system's limit where that is allowed (CAP_NET_ADMIN), and otherwise uses the limit. */
function enlargeReceiveBuffer(library: CLibrary, fd: number): void {
  const value = optionValue(RECEIVE_BUFFER_BYTES);
  const result = library.setSocketOption(fd, { level: SOL_SOCKET, name: SO_RCVBUFFORCE, value });
  if (result < 0) library.setSocketOption(fd, { level: SOL_SOCKET, name: SO_RCVBUF, value });
}

function failure({ networkInterface, address, port }: UdpOptions, result: number): PlatformError {
  const on = networkInterface ?? address;
  const where = `UDP port ${port}${on === undefined ? '' : ` on ${on}`}`;
  return socketFailure(-result, { where, port, networkInterface });
}
