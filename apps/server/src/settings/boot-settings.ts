/** Settings of the boot service: its listeners and files. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defaultTransferLimits } from '@tinkerbell/tftp';
import { defaultTftpCaps, type BootConfig } from '@tinkerbell/service-boot';
import type { Ipv4 } from '@tinkerbell/wire';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';
import { isoConfig, type IsoDirectories } from './iso-settings.ts';
import { hookSettings, netbootSettings } from './netboot-settings.ts';
import { trustedProxies } from './setting-values.ts';

/** The block size follows the network interface unless its flag is set. */
const { blockSizeBytesMax: _, ...transferLimits } = defaultTransferLimits;

export function bootConfig(
  flags: FlagReader,
  own: Ipv4,
  directories: IsoDirectories & { readonly imagesDirectory: string },
): BootConfig {
  const dhcp = {
    networkInterfaces: flags.list('dhcp-bind-interface'),
    address: flags.text('dhcp-bind-addr'),
    port: flags.port('dhcp-bind-port'),
  };
  return {
    netboot: netbootSettings(flags, own),
    hook: hookSettings(flags, own),
    ...(flags.boolean('dhcp-enabled') ? { dhcp } : {}),
    ...ipv6Config(flags),
    ...(flags.boolean('tftp-server-enabled') ? { tftp: tftpConfig(flags) } : {}),
    ...(flags.boolean('syslog-enabled') ? { syslog: syslogConfig(flags) } : {}),
    ...(flags.boolean('pxe-http-enabled')
      ? { pxeHttpPrefix: pathPrefix(flags, 'pxe-http-path-prefix') }
      : {}),
    ...(flags.boolean('iso-enabled') ? { iso: isoConfig(flags, directories) } : {}),
    hookDirectory: directories.hookDirectory,
    imagesDirectory: directories.imagesDirectory,
    ipxeDirectory: ipxeDirectory(flags.text('ipxe-binary-dir')),
    ipxePatch: flags.text('ipxe-embedded-script-patch'),
    trustedProxies: trustedProxies(flags),
    routes: {
      binary: flags.boolean('ipxe-http-binary-enabled'),
      script: flags.boolean('ipxe-http-script-enabled'),
    },
  };
}

/** Set-up downloads current binaries beside the sources. A distribution's own folder may have old ones, which hang. */
const FETCHED = join(import.meta.dirname, '../../../../out/ipxe');
const INSTALLED = '/usr/lib/ipxe';

function ipxeDirectory(given: string): string {
  if (given !== '') return resolve(given);
  return existsSync(join(FETCHED, 'ipxe.efi')) ? FETCHED : INSTALLED;
}

function ipv6Config(flags: FlagReader): Pick<BootConfig, 'dhcpv6' | 'routerAdvertisements'> {
  const hasDhcpv6 = flags.boolean('dhcpv6-enabled');
  const advertises = flags.boolean('ipv6-router-advertisements');
  if (!hasDhcpv6 && !advertises) return {};
  const own = flags.list('dhcpv6-bind-interface');
  const networkInterfaces = own.length > 0 ? own : flags.list('dhcp-bind-interface');
  if (networkInterfaces.length === 0)
    throw new SettingsError(
      '--dhcpv6-enabled and --ipv6-router-advertisements need --dhcpv6-bind-interface or --dhcp-bind-interface',
    );
  const [httpBinaryV6Url, scriptV6Url] = [
    flags.text('dhcpv6-ipxe-http-binary-url'),
    flags.text('dhcpv6-ipxe-http-script-url'),
  ];
  const urls = {
    ...(httpBinaryV6Url === '' ? {} : { httpBinaryV6Url }),
    ...(scriptV6Url === '' ? {} : { scriptV6Url }),
  };
  return {
    ...(hasDhcpv6 ? { dhcpv6: { networkInterfaces, ...urls } } : {}),
    ...(advertises ? { routerAdvertisements: { networkInterfaces, hasDhcpv6 } } : {}),
  };
}

function tftpConfig(flags: FlagReader): NonNullable<BootConfig['tftp']> {
  const assetDirectory = flags.text('tftp-asset-dir');
  const blockSizeBytesMax = flags.number('tftp-block-size', [0, 65_464]);
  return {
    address: flags.text('tftp-server-bind-addr') || flags.text('bind-address'),
    port: flags.port('tftp-server-bind-port'),
    singlePort: flags.boolean('tftp-single-port'),
    limits: {
      ...transferLimits,
      timeoutMs: flags.durationMs('tftp-timeout'),
      ...(blockSizeBytesMax === 0 ? {} : { blockSizeBytesMax }),
    },
    ...defaultTftpCaps,
    ...(assetDirectory === '' ? {} : { assetDirectory: resolve(assetDirectory) }),
  };
}

function syslogConfig(flags: FlagReader): NonNullable<BootConfig['syslog']> {
  return {
    address: flags.text('syslog-bind-addr') || flags.text('bind-address'),
    port: flags.port('syslog-bind-port'),
  };
}

function pathPrefix(flags: FlagReader, name: 'pxe-http-path-prefix'): string {
  const text = flags.text(name);
  if (!/^\/(?:[\w.-]+\/)+$/.test(text))
    throw new SettingsError(`--${name} must be a path such as /tftp/, not ${JSON.stringify(text)}`);
  return text;
}
