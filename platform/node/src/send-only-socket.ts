import type { UdpAddress } from '@tinkerbell/platform-contract';
import { cLibrary } from './c-library.ts';
import { socketAddress } from './socket-address.ts';
import { AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, SOL_SOCKET, optionValue } from './socket-numbers.ts';

const SO_REUSEPORT = 15;
/**
 * struct sock_filter: return 0. As a filter it passes no packet. As the choice among sockets of one port it selects the first.
 */
const RETURN_0 = Uint8Array.of(0x06, 0, 0, 0, 0, 0, 0, 0);

export interface SendOnlySocket {
  readonly fd: number;
  close(): void;
}

/**
 * Opens a second socket at the address and port of `fd` that only sends. The event loop watches `fd`, so the kernel notifies it
 * of every sent datagram, which takes a twelfth of the time of a send. Nothing watches the second socket.
 *
 * Sockets may share a port if all were declared shareable (SO_REUSEPORT). `fd` is bound before it is declared shareable, so a
 * second server on the same port still gets EADDRINUSE. Returns undefined where the kernel does not support this.
 */
export async function sendOnlySocket(
  fd: number,
  { address, port }: UdpAddress,
): Promise<SendOnlySocket | undefined> {
  const library = await cLibrary();
  const shareable = { level: SOL_SOCKET, name: SO_REUSEPORT, value: optionValue(1) };
  const other = library.socket(AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0);
  if (other < 0) return undefined;
  const isSet =
    library.attachProgram(other, 'filter', RETURN_0) >= 0 &&
    library.setSocketOption(fd, shareable) >= 0 &&
    library.setSocketOption(other, shareable) >= 0 &&
    library.bind(other, socketAddress(address, port)) >= 0 &&
    library.attachProgram(fd, 'reuseport', RETURN_0) >= 0;
  if (isSet) return { fd: other, close: () => library.close(other) };
  library.close(other);
  return undefined;
}
