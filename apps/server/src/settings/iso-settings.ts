/** Settings of ISO images for virtual media. */
import { join } from 'node:path';
import { ISO_MAGIC } from '@tinkerbell/netboot';
import type { AllowedSources, IsoConfig } from '@tinkerbell/service-boot';
import { parseIpNetwork, type IpNetwork } from '@tinkerbell/wire';
import type { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';

const MEBIBYTE = 1024 * 1024;

export interface IsoDirectories {
  readonly dataDirectory: string;
  /** Our own images are in the folder of kernel and initramfs. */
  readonly hookDirectory: string;
}

export function isoConfig(flags: FlagReader, { dataDirectory, hookDirectory }: IsoDirectories): IsoConfig {
  const upstreamUrl = flags.text('iso-upstream-url');
  if (upstreamUrl !== '' && !/^https?:\/\/[^\s/]+\//i.test(upstreamUrl))
    throw new SettingsError(
      `--iso-upstream-url must be an http or https URL, not ${JSON.stringify(upstreamUrl)}`,
    );
  return {
    ...(upstreamUrl === '' ? {} : { upstreamUrl }),
    ownDirectory: hookDirectory,
    magic: flags.parsed(
      'iso-patch-magic-string',
      (text) => magicOf(text || ISO_MAGIC),
      'must have 64 to 4096 printable ASCII characters',
    ),
    staticIpam: flags.boolean('iso-static-ipam-enabled'),
    allowed: allowedSources(flags),
    cacheDirectory: join(dataDirectory, 'iso-cache'),
    cacheBytesMax: flags.number('iso-cache-size', [64, 16_777_216]) * MEBIBYTE,
  };
}

/** A shorter string could occur in an image by chance, and has no room for the kernel arguments. */
function magicOf(text: string): string | undefined {
  return /^[\x20-\x7e]{64,4096}$/.test(text) ? text : undefined;
}

/** `--iso-allow-source`. */
export function allowedSources(flags: FlagReader): AllowedSources {
  const hostNames: string[] = [];
  const networks: IpNetwork[] = [];
  for (const text of flags.list('iso-allow-source')) {
    const network = parseIpNetwork(text);
    if (network !== undefined) networks.push(network);
    else if (/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text) && /[a-z]/i.test(text))
      hostNames.push(text.toLowerCase());
    else
      throw new SettingsError(
        `--iso-allow-source must be hosts and networks such as localhost or 127.0.0.0/8, not ${JSON.stringify(text)}`,
      );
  }
  return { hostNames, networks };
}
