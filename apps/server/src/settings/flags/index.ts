/** Every flag of the server. Names and defaults are upstream's where upstream has the flag. */
import { boolean, flagGroup, type Flag, type FlagType } from '../flag.ts';
import { asFlags, upstreamFlags } from '../upstream-flags.ts';
import { accessFlags } from './access.ts';
import { agentFlags, controllerFlags } from './agents.ts';
import { ipxeFlags, isoFlags, tftpFlags } from './boot-files.ts';
import { dhcpFlags, dhcpv6Flags } from './dhcp.ts';
import { generalFlags } from './general.ts';
import { doctorFlags, observabilityFlags } from './observability.ts';
import {
  bmcFlags,
  gatewayFlags,
  metadataFlags,
  registryFlags,
  relayFlags,
  serialFlags,
  syslogFlags,
} from './services.ts';
import { storageFlags } from './storage.ts';

const commandFlags = flagGroup('Commands', {
  version: boolean('print the version and exit', { default: 'false' }),
  help: boolean('print this help and exit', { default: 'false' }),
});

const ownFlags = [
  ...generalFlags,
  ...storageFlags,
  ...accessFlags,
  ...agentFlags,
  ...controllerFlags,
  ...dhcpFlags,
  ...dhcpv6Flags,
  ...ipxeFlags,
  ...tftpFlags,
  ...isoFlags,
  ...syslogFlags,
  ...metadataFlags,
  ...registryFlags,
  ...bmcFlags,
  ...serialFlags,
  ...relayFlags,
  ...gatewayFlags,
  ...observabilityFlags,
  ...doctorFlags,
  ...commandFlags,
];

type OwnFlag = (typeof ownFlags)[number];

/** Names of our flags of a type, or of all of them. */
export type FlagName<Type extends FlagType = FlagType> = Extract<OwnFlag, { readonly type: Type }>['name'];

export const flags: readonly Flag[] = [...ownFlags, ...asFlags(upstreamFlags)];
