/** Settings of the DHCP relay agent. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
  const trials = trialSettings(flags);
  return {
    downstream: networkInterfaces.map((networkInterface) => ({ networkInterface })),
    servers: servers(flags),
    ...(trials === undefined ? {} : { trials }),
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

/** Returns undefined if no server may make the relay try something. */
function trialSettings(flags: FlagReader): RelayConfig['trials'] {
  const [text, file] = [flags.text('relay-api-url'), flags.text('relay-token-file')];
  if (text === '' && file === '') return undefined;
  if (text === '' || file === '')
    throw new SettingsError('--relay-api-url and --relay-token-file are needed together');
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.username !== '')
    throw new SettingsError(
      `--relay-api-url must be http://HOST:PORT or https://HOST:PORT of the server, not ${JSON.stringify(text)}`,
    );
  try {
    readFileSync(file);
  } catch (cause) {
    throw new SettingsError(`cannot read --relay-token-file ${file}`, { cause });
  }
  return { apiUrl: url.origin, readToken: async () => (await readFile(file, 'utf8')).trim() };
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
