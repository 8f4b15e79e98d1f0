/** What the flags mean, as values the services take. */
import { resolve } from 'node:path';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import type { NetworkInterface } from '@tinkerbell/platform-contract';
import {
  parseMacPrefix,
  type HookScriptSettings,
  type NetbootSettings,
  type ProxyAllowList,
} from '@tinkerbell/netboot';
import { defaultTftpCaps, type BootConfig } from '@tinkerbell/service-boot';
import { parseIpNetwork, type IpNetwork } from '@tinkerbell/instance-metadata';
import type { MetadataConfig } from '@tinkerbell/service-metadata';
import { parseIpv4, parseIpv4Network, type Ipv4, type MacFormat } from '@tinkerbell/wire';
import type { ApiAudience } from './api-access.ts';
import { SettingsError, type FlagReader } from './flag-reader.ts';
import { publicIpv4 } from './public-ipv4.ts';

export interface Settings {
  readonly dataDirectory: string;
  readonly logLevel: 'debug' | 'info' | 'silent';
  readonly publicIpv4: Ipv4;
  readonly http: { readonly address: string; readonly port: number };
  /** The same pages over TLS, when there is a certificate. */
  readonly https?: { readonly address: string; readonly port: number } & TlsFiles;
  /** Metadata alone, where Hegel had it; absent: nowhere. */
  readonly legacyMetadataPort?: number;
  readonly apiAnonymous: ApiAudience;
  /** Absent: not run. */
  readonly boot?: BootConfig;
  readonly workflows?: {
    readonly address: string;
    readonly port: number;
    readonly tls?: TlsFiles;
  };
  readonly images?: { readonly imagesDirectory: string; readonly hookDirectory: string };
  readonly metadata?: MetadataConfig;
  readonly controller: boolean;
}

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Throws a SettingsError that names the flag. */
export function settingsFrom(flags: FlagReader, networkInterfaces: readonly NetworkInterface[]): Settings {
  const dataDirectory = resolve(flags.text('data-dir'));
  const address = publicAddress(flags, networkInterfaces);
  const images = {
    imagesDirectory: resolve(flags.text('images-dir') || `${dataDirectory}/images`),
    hookDirectory: resolve(flags.text('hook-dir') || `${dataDirectory}/hook`),
  };
  const tls = tlsFiles(flags);
  const http = { address: flags.text('bind-address'), port: flags.port('http-port') };
  const legacyMetadataPort = flags.number('tootles-legacy-port', [0, 65_535]);
  return {
    dataDirectory,
    logLevel: logLevelOf(flags),
    publicIpv4: address,
    http,
    apiAnonymous: flags.oneOf('api-anonymous', ['loopback', 'everyone']),
    controller: flags.boolean('enable-tink-controller'),
    ...(tls === undefined ? {} : { https: { ...http, ...tls, port: flags.port('https-port') } }),
    ...(flags.boolean('enable-images') ? { images } : {}),
    ...(flags.boolean('enable-tootles') ? { metadata: metadataConfig(flags) } : {}),
    ...(flags.boolean('enable-tootles') && legacyMetadataPort > 0 ? { legacyMetadataPort } : {}),
    ...(flags.boolean('enable-smee') ? { boot: bootConfig(flags, address) } : {}),
    ...(flags.boolean('enable-tink-server') ? { workflows: workflowsConfig(flags) } : {}),
  };
}

function logLevelOf(flags: FlagReader): Settings['logLevel'] {
  const level = flags.number('log-level', [-100, 100]);
  if (level < 0) return 'silent';
  return level > 0 ? 'debug' : 'info';
}

function publicAddress(flags: FlagReader, networkInterfaces: readonly NetworkInterface[]): Ipv4 {
  if (flags.text('public-ipv4') !== '') return address(flags, 'public-ipv4');
  const found = publicIpv4(networkInterfaces, flags.list('dhcp-bind-interface'));
  const parsed = found === undefined ? undefined : parseIpv4(found);
  if (parsed === undefined)
    throw new SettingsError('cannot find our IPv4 address; give it with --public-ipv4');
  return parsed;
}

function address(flags: FlagReader, name: string): Ipv4 {
  return flags.parsed(name, (text) => parseIpv4(text), 'must be an IPv4 address');
}

function addressOr(flags: FlagReader, name: string, fallback: Ipv4): Ipv4 {
  return flags.text(name) === '' ? fallback : address(flags, name);
}

function workflowsConfig(flags: FlagReader): NonNullable<Settings['workflows']> {
  const tls = tlsFiles(flags);
  return {
    address: flags.text('tink-server-bind-addr') || flags.text('bind-address'),
    port: flags.port('tink-server-bind-port'),
    ...(tls === undefined ? {} : { tls }),
  };
}

function tlsFiles(flags: FlagReader): TlsFiles | undefined {
  const [certFile, keyFile] = [flags.text('tls-cert-file'), flags.text('tls-key-file')];
  if ((certFile === '') !== (keyFile === ''))
    throw new SettingsError('--tls-cert-file and --tls-key-file go together');
  return certFile === '' ? undefined : { certFile, keyFile };
}

function metadataConfig(flags: FlagReader): MetadataConfig {
  return {
    trustedProxies: trustedProxies(flags),
    instanceEndpoint: flags.boolean('tootles-instance-endpoint'),
    tokens: flags.oneOf('tootles-session-tokens', ['optional', 'required']),
  };
}

function trustedProxies(flags: FlagReader): readonly IpNetwork[] {
  return flags.list('trusted-proxies').map((text) => {
    const network = parseIpNetwork(text);
    if (network === undefined)
      throw new SettingsError(
        `--trusted-proxies takes networks such as 10.0.0.0/8, not ${JSON.stringify(text)}`,
      );
    return network;
  });
}

function bootConfig(flags: FlagReader, own: Ipv4): BootConfig {
  const dhcp = {
    networkInterfaces: flags.list('dhcp-bind-interface'),
    address: flags.text('dhcp-bind-addr'),
    port: flags.port('dhcp-bind-port'),
  };
  return {
    netboot: netbootSettings(flags, own),
    hook: hookSettings(flags, own),
    ...(flags.boolean('dhcp-enabled') ? { dhcp } : {}),
    ...(flags.boolean('tftp-server-enabled') ? { tftp: tftpConfig(flags) } : {}),
    ipxeDirectory: resolve(flags.text('ipxe-binary-dir')),
    ipxePatch: flags.text('ipxe-embedded-script-patch'),
    trustedProxies: trustedProxies(flags),
    routes: {
      binary: flags.boolean('ipxe-http-binary-enabled'),
      script: flags.boolean('ipxe-http-script-enabled'),
    },
  };
}

function tftpConfig(flags: FlagReader): NonNullable<BootConfig['tftp']> {
  const assetDirectory = flags.text('tftp-asset-dir');
  return {
    address: flags.text('tftp-server-bind-addr') || flags.text('bind-address'),
    port: flags.port('tftp-server-bind-port'),
    singlePort: flags.boolean('tftp-single-port'),
    limits: {
      ...defaultTransferLimits,
      blockSizeBytesMax: flags.number('tftp-block-size', [512, 65_464]),
      timeoutMs: flags.durationMs('tftp-timeout'),
    },
    ...defaultTftpCaps,
    ...(assetDirectory === '' ? {} : { assetDirectory: resolve(assetDirectory) }),
  };
}

function netbootSettings(flags: FlagReader, own: Ipv4): NetbootSettings {
  const binaryHost = flags.text('dhcp-ipxe-http-binary-host') || own;
  return {
    mode: flags.oneOf('dhcp-mode', ['reservation', 'proxy', 'auto-proxy']),
    proxyAllow: proxyAllowList(flags),
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
    ...(flags.text('ipxe-version-min') === '' ? {} : { ipxeVersionMin: ipxeVersion(flags) }),
    bootLocalWhenIdle: flags.boolean('ipxe-script-boot-local-when-idle'),
    ...(flags.text('dhcp-syslog-ip') === '' ? {} : { syslogAddress: address(flags, 'dhcp-syslog-ip') }),
  };
}

function ipxeVersion(flags: FlagReader): string {
  const isVersion = (text: string) => /^\d{1,3}(\.\d{1,3}){0,2}$/.test(text);
  return flags.parsed(
    'ipxe-version-min',
    (text) => (isVersion(text) ? text : undefined),
    'must be a version such as 1.21.0',
  );
}

function proxyAllowList(flags: FlagReader): ProxyAllowList {
  const parsedList = <Value>(name: string, parse: (text: string) => Value | undefined, rule: string) =>
    flags.list(name).map((text) => {
      const value = parse(text);
      if (value === undefined)
        throw new SettingsError(`--${name} takes ${rule}, not ${JSON.stringify(text)}`);
      return value;
    });
  return {
    macPrefixes: parsedList('dhcp-proxy-allow-mac', parseMacPrefix, 'MAC prefixes such as 52:54:00'),
    subnets: parsedList('dhcp-proxy-allow-subnet', parseIpv4Network, 'networks such as 10.1.0.0/16'),
  };
}

function urlOf(flags: FlagReader, prefix: string, own: Ipv4): string {
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
      `--ipxe-override-arch-mapping takes <number>=<binary>, not ${JSON.stringify(item)}`,
    );
  return [Number(match[1]), match[2] ?? ''];
}

function hookSettings(flags: FlagReader, own: Ipv4): HookScriptSettings {
  const syslogHost = flags.text('ipxe-script-syslog-fqdn') || flags.text('dhcp-syslog-ip');
  const grpcAuthority = flags.text('ipxe-script-tink-server-addr-port') || own;
  return {
    osieUrl: flags.text('ipxe-http-script-osie-url') || `http://${own}:${flags.port('http-port')}/hook`,
    kernelName: flags.text('ipxe-http-script-kernel-name'),
    initrdName: flags.text('ipxe-http-script-initrd-name'),
    grpcAuthority: /:\d+$/.test(grpcAuthority)
      ? grpcAuthority
      : `${grpcAuthority}:${flags.port('tink-server-bind-port')}`,
    tls: flags.boolean('ipxe-script-tink-server-use-tls') || flags.text('tls-cert-file') !== '',
    insecureTls: flags.boolean('ipxe-script-tink-server-insecure-tls'),
    extraKernelArguments: flags.list('ipxe-http-script-extra-kernel-args'),
    retries: flags.number('ipxe-http-script-retries', [0, 100]),
    retryDelaySeconds: flags.number('ipxe-http-script-retry-delay', [0, 3600]),
    ...(syslogHost === '' ? {} : { syslogHost }),
  };
}
