/** Settings of DHCP replies and iPXE scripts. */
import {
  parseAddressPool,
  parseMacPrefix,
  type AddressPool,
  type HookScriptSettings,
  type NetbootSettings,
  type ProxyAllowList,
} from '@tinkerbell/netboot';
import { IPXE_FEATURES, type IpxeFeature } from '@tinkerbell/ipxe';
import {
  netmaskOf,
  networkAddress,
  parseIpv4,
  parseIpv4Network,
  type Ipv4,
  type MacFormat,
} from '@tinkerbell/wire';
import type { FlagReader } from './flag-reader.ts';
import type { FlagName } from './flags/index.ts';
import { mirrorsForAgents } from './registry-settings.ts';
import { SettingsError } from './settings-error.ts';
import { addressOf, addressOr } from './setting-values.ts';

export function netbootSettings(flags: FlagReader, own: Ipv4): NetbootSettings {
  const syslog = syslogAddress(flags, own);
  const binaryHost = flags.text('dhcp-ipxe-http-binary-host') || own;
  return {
    mode: flags.oneOf('dhcp-mode', ['reservation', 'proxy', 'auto-proxy']),
    proxyAllow: proxyAllowList(flags),
    pools: addressPools(flags),
    poolNetboot: flags.boolean('dhcp-pool-netboot'),
    serverAddress: addressOr(flags, 'dhcp-ip-for-packet', own),
    netbootOptionsEnabled: flags.boolean('dhcp-enable-netboot-options'),
    tftp: { address: addressOr(flags, 'dhcp-tftp-ip', own), port: flags.port('dhcp-tftp-port') },
    httpBinary: { url: urlOf(flags, 'dhcp-ipxe-http-binary', own), address: parseIpv4(binaryHost) ?? own },
    scriptUrl: urlOf(flags, 'dhcp-ipxe-http-script', own),
    scriptUrlHasMac: flags.boolean('dhcp-ipxe-http-script-prepend-mac'),
    macFormat: flags.parsed(
      'ipxe-binary-inject-mac-addr-format',
      macFormatOf,
      'must be colon, dot, dash or no-delimiter',
    ),
    architectureOverrides: new Map(flags.list('ipxe-override-arch-mapping').map((item) => overrideOf(item))),
    chainloading: flags.oneOf('ipxe-chainloading', ['when-needed', 'always']),
    ipxeFeatures: flags.list('ipxe-needed-features').map(ipxeFeature),
    bootLocalWhenIdle: flags.boolean('ipxe-script-boot-local-when-idle'),
    ...(syslog === undefined ? {} : { syslogAddress: syslog }),
  };
}

function ipxeFeature(text: string): IpxeFeature {
  const found = IPXE_FEATURES.find((feature) => feature === text);
  if (found !== undefined) return found;
  const known = IPXE_FEATURES.join(', ');
  throw new SettingsError(`--ipxe-needed-features must be a list of ${known}, not ${JSON.stringify(text)}`);
}

/** The server's own address if the syslog receiver is enabled, as in upstream. */
function syslogAddress(flags: FlagReader, own: Ipv4): Ipv4 | undefined {
  if (flags.text('dhcp-syslog-ip') !== '') return addressOf(flags, 'dhcp-syslog-ip');
  return flags.boolean('syslog-enabled') ? own : undefined;
}

/** Pools contain commas, so several pools are separated by semicolons. */
function addressPools(flags: FlagReader): readonly AddressPool[] {
  const texts = flags.text('dhcp-pool').split(';');
  const pools = texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const pool = parseAddressPool(text);
      if (!pool.ok) throw new SettingsError(`--dhcp-pool: ${pool.message}`);
      return pool.value;
    });
  for (const [index, pool] of pools.entries()) {
    const other = pools.slice(0, index).find((one) => shareNetwork(one, pool));
    if (other !== undefined)
      throw new SettingsError(
        `--dhcp-pool: ${other.first} and ${pool.first} are in the same network, which can have only one pool`,
      );
  }
  return pools;
}

function shareNetwork(one: AddressPool, other: AddressPool): boolean {
  const netmask = netmaskOf(Math.min(one.prefixLength, other.prefixLength));
  return networkAddress(one.first, netmask) === networkAddress(other.first, netmask);
}

function proxyAllowList(flags: FlagReader): ProxyAllowList {
  const parsedList = <Value>(
    name: FlagName<'list'>,
    parse: (text: string) => Value | undefined,
    rule: string,
  ) =>
    flags.list(name).map((text) => {
      const value = parse(text);
      if (value === undefined)
        throw new SettingsError(`--${name} must be ${rule}, not ${JSON.stringify(text)}`);
      return value;
    });
  return {
    macPrefixes: parsedList('dhcp-proxy-allow-mac', parseMacPrefix, 'MAC prefixes such as 52:54:00'),
    subnets: parsedList('dhcp-proxy-allow-subnet', parseIpv4Network, 'networks such as 10.1.0.0/16'),
  };
}

function urlOf(
  flags: FlagReader,
  prefix: 'dhcp-ipxe-http-binary' | 'dhcp-ipxe-http-script',
  own: Ipv4,
): string {
  const host = flags.text(`${prefix}-host`) || own;
  const port = flags.text(`${prefix}-port`) === '' ? flags.port('http-port') : flags.port(`${prefix}-port`);
  return `${flags.oneOf(`${prefix}-scheme`, ['http', 'https'])}://${host}:${port}${flags.text(`${prefix}-path`)}`;
}

function macFormatOf(text: string): MacFormat | undefined {
  return (['colon', 'dot', 'dash', 'no-delimiter'] as const).find((format) => format === text);
}

function overrideOf(item: string): [number, string] {
  const match = /^(\d{1,5})=([\w.-]+)$/.exec(item);
  if (match === null)
    throw new SettingsError(
      `--ipxe-override-arch-mapping must be <number>=<binary>, not ${JSON.stringify(item)}`,
    );
  return [Number(match[1]), match[2] ?? ''];
}

export function hookSettings(flags: FlagReader, own: Ipv4): HookScriptSettings {
  const syslogHost = flags.text('ipxe-script-syslog-fqdn') || (syslogAddress(flags, own) ?? '');
  const grpcAuthority = flags.text('ipxe-script-tink-server-addr-port') || own;
  const origin = `http://${own}:${flags.port('http-port')}`;
  const registryMirrors = mirrorsForAgents(flags, origin);
  return {
    osieUrl: flags.text('ipxe-http-script-osie-url') || `${origin}/hook`,
    namesHookUrl: true,
    ...(registryMirrors === undefined ? {} : { registryMirrors }),
    kernelName: flags.text('ipxe-http-script-kernel-name'),
    initrdName: flags.text('ipxe-http-script-initrd-name'),
    grpcAuthority: /:\d+$/.test(grpcAuthority)
      ? grpcAuthority
      : `${grpcAuthority}:${flags.port('tink-server-bind-port')}`,
    tls: flags.boolean('ipxe-script-tink-server-use-tls') || flags.text('tls-cert-file') !== '',
    insecureTls: flags.boolean('ipxe-script-tink-server-insecure-tls'),
    extraKernelArguments: flags.arguments('ipxe-http-script-extra-kernel-args'),
    retries: flags.number('ipxe-http-script-retries', [0, 100]),
    retryDelaySeconds: flags.number('ipxe-http-script-retry-delay', [0, 3600]),
    ...(syslogHost === '' ? {} : { syslogHost }),
  };
}
