import type { IpmiCrypto } from '@tinkerbell/ipmi';
import type { Udp, Udp6 } from '@tinkerbell/platform-contract';
import type { DriverDeps } from '../driver.ts';

export interface IpmiDeps extends DriverDeps {
  readonly udp: Udp;
  /** For BMCs with IPv6 addresses. */
  readonly udp6: Pick<Udp6, 'open'>;
  /** Default: the primitives of Node. */
  readonly crypto?: IpmiCrypto;
  /** Returns the address of a name, and rejects when it has none. Default: the resolver of the system. */
  readonly lookup?: (host: string) => Promise<string>;
}

/** `spec.connection.providerOptions.ipmitool`. */
export interface IpmiOptions {
  /** `17` or `3`. Absent: the BMC is asked for its suites, and 17 is preferred. */
  readonly cipherSuite?: string;
  /** Default: 2.0. `1.5` has no encryption. */
  readonly version?: '2.0' | '1.5';
  /** Default: the port of the target, or 623. */
  readonly port?: number;
}
