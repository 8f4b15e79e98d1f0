/** Value parsers that several groups of settings share. */
import { parseIpNetwork, parseIpv4, type IpNetwork, type Ipv4 } from '@tinkerbell/wire';
import type { FlagReader } from './flag-reader.ts';
import type { FlagName } from './flags/index.ts';
import { SettingsError } from './settings-error.ts';

export function addressOf(flags: FlagReader, name: FlagName): Ipv4 {
  return flags.parsed(name, (text) => parseIpv4(text), 'must be an IPv4 address');
}

export function addressOr(flags: FlagReader, name: FlagName, fallback: Ipv4): Ipv4 {
  return flags.text(name) === '' ? fallback : addressOf(flags, name);
}

export function trustedProxies(flags: FlagReader): readonly IpNetwork[] {
  return flags.list('trusted-proxies').map((text) => {
    const network = parseIpNetwork(text);
    if (network === undefined)
      throw new SettingsError(
        `--trusted-proxies must be networks such as 10.0.0.0/8, not ${JSON.stringify(text)}`,
      );
    return network;
  });
}
