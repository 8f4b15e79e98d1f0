/** Settings of the registry of container images. */
import { join } from 'node:path';
import type { MirrorConfig, RegistryConfig } from '@tinkerbell/service-registry';
import type { FlagReader } from './flag-reader.ts';
import { trustedProxies } from './setting-values.ts';
import { SettingsError } from './settings-error.ts';

/** Less has no place for one image. More than a petabyte is a mistake. */
const BYTES_RANGE = [1024 * 1024, 1e15] as const;

export function registryConfig(flags: FlagReader, dataDirectory: string): RegistryConfig | undefined {
  if (!flags.boolean('registry-enabled')) return undefined;
  return {
    directory: join(dataDirectory, 'registry'),
    anonymousPull: flags.boolean('registry-anonymous-pull'),
    ...(flags.boolean('image-peers') ? { peers: { trustedProxies: trustedProxies(flags) } } : {}),
    mirrors: flags.list('registry-mirrors').map(mirrorOf),
    ...(flags.text('registry-max-bytes') === ''
      ? {}
      : { bytesMax: flags.number('registry-max-bytes', BYTES_RANGE) }),
  };
}

/** The kernel takes 2,048 characters in all. */
const MIRRORS_MAX_CHARACTERS = 512;

/** Returns what machines need to ask the registry of this server first: the mirrors that fit, or undefined for none. */
export function mirrorsForAgents(flags: FlagReader, origin: string): string | undefined {
  const { mirrors = [] } = registryConfig(flags, '') ?? {};
  const pairs = mirrors.map(({ host }) => `${host}=${origin}/v2/mirror/${host}`);
  while (pairs.join(',').length > MIRRORS_MAX_CHARACTERS) pairs.pop();
  return pairs.length === 0 ? undefined : pairs.join(',');
}

/** Docker's registry has another host than the names of its images. */
const DOCKER = { host: 'docker.io', url: 'https://registry-1.docker.io' };

function mirrorOf(text: string): MirrorConfig {
  const [host = '', given = host === DOCKER.host ? DOCKER.url : `https://${host}`] = text.split(/=(.*)/s, 2);
  const url = URL.parse(given);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '';
  if (isPlain && /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(host)) return { host, url: given.replace(/\/+$/, '') };
  throw new SettingsError(
    `--registry-mirrors must be hosts such as quay.io, or quay.io=https://cache.example, not ${JSON.stringify(text)}`,
  );
}
