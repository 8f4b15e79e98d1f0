/** Settings of the registry of container images. */
import { join } from 'node:path';
import type { RegistryConfig } from '@tinkerbell/service-registry';
import type { FlagReader } from './flag-reader.ts';

/** Less has no place for one image. More than a petabyte is a mistake. */
const BYTES_RANGE = [1024 * 1024, 1e15] as const;

export function registryConfig(flags: FlagReader, dataDirectory: string): RegistryConfig | undefined {
  if (!flags.boolean('registry-enabled')) return undefined;
  return {
    directory: join(dataDirectory, 'registry'),
    anonymousPull: flags.boolean('registry-anonymous-pull'),
    ...(flags.text('registry-max-bytes') === ''
      ? {}
      : { bytesMax: flags.number('registry-max-bytes', BYTES_RANGE) }),
  };
}
