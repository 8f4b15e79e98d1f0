import type { BmcConnections } from '@tinkerbell/engine-bmc';
import type { Authorizer, Clock, Log } from '@tinkerbell/platform-contract';
import type { Journal, View } from '@tinkerbell/store-contract';

export interface SerialDeps {
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** Decides about consoles of web pages. The keys of a Hardware decide about those over SSH. */
  readonly authorizer: Authorizer;
  readonly connections: Pick<BmcConnections, 'openConsole' | 'close'>;
}

export interface SerialConfig {
  readonly address: string;
  /** 0: any free port. */
  readonly port: number;
  /** A private key in OpenSSH or PEM format. It stays the same, so that clients can recognise the server. */
  readonly hostKey: string;
  /** Sessions without a byte in either direction end. */
  readonly idleMs: number;
  /** Records the consoles of all machines with a BMC. Otherwise of those with the annotation. */
  readonly recordsAll: boolean;
}
