/** Settings of SSH to the serial consoles of machines. */
import { join } from 'node:path';
import type { FlagReader } from '../settings/flag-reader.ts';

export interface SerialSettings {
  readonly address: string;
  readonly port: number;
  /** A private key. It is created when it is absent and in the data folder. */
  readonly hostKeyFile: string;
  readonly createsHostKey: boolean;
  readonly idleMs: number;
  readonly recordsAll: boolean;
}

/** Undefined when it is not enabled. */
export function serialSettings(flags: FlagReader, dataDirectory: string): SerialSettings | undefined {
  if (!flags.boolean('enable-secondstar')) return undefined;
  const hostKeyFile = flags.text('secondstar-host-key');
  return {
    address: flags.text('bind-address'),
    port: flags.port('secondstar-port'),
    hostKeyFile: hostKeyFile === '' ? join(dataDirectory, 'ssh_host_ed25519_key') : hostKeyFile,
    createsHostKey: hostKeyFile === '',
    idleMs: flags.durationMs('secondstar-idle-timeout'),
    recordsAll: flags.boolean('secondstar-record'),
  };
}
