/** Settings of the DHCP relay agent. */
import type { RelayConfig } from '@tinkerbell/service-relay';
import { parseIpv4 } from '@tinkerbell/wire';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';
import { addressOf } from './setting-values.ts';

export function relayConfig(flags: FlagReader): RelayConfig {
  const networkInterfaces = flags.list('relay-interface');
  if (networkInterfaces.length === 0)
    throw new SettingsError('--enable-relay needs --relay-interface, the network interface of the clients');
  const information = informationSettings(flags);
  return {
    downstream: networkInterfaces.map((networkInterface) => ({ networkInterface })),
    servers: servers(flags),
    settings: {
      hopsMax: flags.number('relay-hops-max', [1, 16]),
      ...(flags.text('relay-address') === '' ? {} : { relayAddress: addressOf(flags, 'relay-address') }),
      ...(information === undefined ? {} : { information }),
    },
  };
}

function servers(flags: FlagReader): RelayConfig['servers'] {
  const texts = flags.list('relay-server');
  if (texts.length === 0)
    throw new SettingsError('--enable-relay needs --relay-server, the DHCP server to relay to');
  return texts.map((text) => {
    const address = parseIpv4(text);
    if (address === undefined)
      throw new SettingsError(`--relay-server must be IPv4 addresses, not ${JSON.stringify(text)}`);
    return { address };
  });
}

function informationSettings(flags: FlagReader): RelayConfig['settings']['information'] {
  if (!flags.boolean('relay-information')) return undefined;
  const remoteId = flags.text('relay-remote-id');
  return {
    linkSelection: flags.boolean('relay-link-selection'),
    serverIdentifierOverride: flags.boolean('relay-server-override'),
    ofOtherRelays: flags.oneOf('relay-information-of-others', ['forward', 'append', 'replace', 'discard']),
    trustsClients: flags.boolean('relay-information-of-clients'),
    ...(remoteId === '' ? {} : { remoteId: new TextEncoder().encode(remoteId) }),
  };
}
