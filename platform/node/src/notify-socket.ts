/**
 * Reports the state of this process to its service manager, as sd_notify(3) does: a datagram of `NAME=value` lines to the socket in
 * NOTIFY_SOCKET. Node has no datagram sockets of AF_UNIX, so the C library sends it.
 */
import { cLibrary, type CLibrary } from './c-library.ts';
import { AF_UNIX, SOCK_DGRAM_NONBLOCK_CLOEXEC } from './socket-numbers.ts';

/** struct sockaddr_un: two bytes of family, then the path. */
const FAMILY_BYTES = 2;
const PATH_BYTES_MAX = 108;
const MICROSECONDS_PER_MS = 1000;

/** Variables of sd_notify(3). */
export interface ServiceState {
  /** The start is complete. */
  readonly READY?: '1';
  readonly STOPPING?: '1';
  /** The process is alive. The manager ends it if none arrives within the time of the watchdog. */
  readonly WATCHDOG?: '1';
  /** One line for `systemctl status`. */
  readonly STATUS?: string;
}

export interface ServiceManager {
  /** The longest time between two proofs of life. Undefined when the manager expects none. */
  readonly watchdogMs: number | undefined;
  /** Never blocks. A report that the manager cannot take is lost. */
  notify(state: ServiceState): void;
  close(): void;
}

/** Returns undefined when no service manager has started this process, or when it cannot be reached. */
export async function openServiceManager(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ServiceManager | undefined> {
  const to = unixAddress(environment['NOTIFY_SOCKET'] ?? '');
  if (to === undefined || process.platform !== 'linux') return undefined;
  const library = await cLibrary();
  const fd = library.socket(AF_UNIX, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0);
  return fd < 0 ? undefined : managerAt(library, { fd, to, watchdogMs: watchdogMsIn(environment) });
}

function managerAt(
  library: CLibrary,
  { fd, to, watchdogMs }: { fd: number; to: Uint8Array; watchdogMs: number | undefined },
): ServiceManager {
  let isOpen = true;
  return {
    watchdogMs,
    notify(state) {
      if (isOpen) library.sendTo(fd, { bytes: stateText(state), to });
    },
    close() {
      if (isOpen) library.close(fd);
      isOpen = false;
    },
  };
}

/** The bytes of a report. A line break in a value would begin another variable, so it becomes a space. */
export function stateText(state: ServiceState): Uint8Array {
  const lines = Object.entries(state).map(
    ([name, value]) => `${name}=${String(value).replaceAll(/\s+/g, ' ')}\n`,
  );
  return new TextEncoder().encode(lines.join(''));
}

/**
 * Returns a struct sockaddr_un for a path, or for a name in the abstract namespace, which begins with `@` (unix(7)). Returns
 * undefined for anything else, such as a socket of a virtual machine (vsock).
 */
export function unixAddress(name: string): Uint8Array | undefined {
  if (!/^[/@]./.test(name)) return undefined;
  const isAbstract = name.startsWith('@');
  const path = new TextEncoder().encode(isAbstract ? `\0${name.slice(1)}` : `${name}\0`);
  if (path.length > PATH_BYTES_MAX) return undefined;
  const bytes = new Uint8Array(FAMILY_BYTES + path.length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(path, FAMILY_BYTES);
  return bytes;
}

/** WATCHDOG_PID names the process that is watched. A child of it inherits the variables. */
function watchdogMsIn(environment: Readonly<Record<string, string | undefined>>): number | undefined {
  const { WATCHDOG_USEC: microseconds, WATCHDOG_PID: pid = String(process.pid) } = environment;
  if (pid !== String(process.pid)) return undefined;
  const ms = Number(microseconds) / MICROSECONDS_PER_MS;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
