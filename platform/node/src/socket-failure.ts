import { PlatformError } from '@tinkerbell/platform-contract';
import { noSuchInterface } from './no-such-interface.ts';

const EPERM = 1;
const EACCES = 13;
const ENODEV = 19;
const EADDRINUSE = 98;

/**
 * Returns why a UDP socket could not be created or bound. `where` names its port, and `holder` the program that holds it, if
 * known.
 */
export function socketFailure(
  errno: number,
  {
    where,
    port: number,
    networkInterface,
    holder = '',
  }: {
    readonly where: string;
    readonly port: number;
    readonly networkInterface: string | undefined;
    readonly holder?: string;
  },
): PlatformError {
  const port = { protocol: 'udp', number, hasHolder: holder !== '' } as const;
  switch (errno) {
    case ENODEV:
      return noSuchInterface(networkInterface);
    case EPERM:
    case EACCES:
      return new PlatformError(
        'permission-denied',
        `not allowed to open ${where}; run as root or grant the program CAP_NET_BIND_SERVICE and CAP_NET_RAW`,
        { port },
      );
    case EADDRINUSE:
      return new PlatformError('address-in-use', `${where} is in use${holder}`, { port });
    default:
      return new PlatformError('unavailable', `cannot open ${where}: errno ${errno}`, { port });
  }
}
