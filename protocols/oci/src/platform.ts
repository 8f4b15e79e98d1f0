/** Platforms of an index, in Go's names (`amd64`, `arm64`). */
import { objectAt, optionalString, stringAt } from './json-fields.ts';

export interface Platform {
  readonly architecture: string;
  readonly os: string;
  /** `v8` for arm64, `v7` for arm. */
  readonly variant?: string;
}

export function readPlatform(value: unknown, field: string): Platform {
  const json = objectAt(value, field);
  const variant = optionalString(json['variant'], `${field}.variant`);
  return {
    architecture: stringAt(json['architecture'], `${field}.architecture`),
    os: stringAt(json['os'], `${field}.os`),
    ...(variant === undefined || variant === '' ? {} : { variant }),
  };
}

/** The platform of a process: `process.arch` of Node. */
export function linuxPlatform(nodeArchitecture: string): Platform {
  const known: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  return { os: 'linux', architecture: known[nodeArchitecture] ?? nodeArchitecture };
}

/**
 * The first entry for the platform, as containerd chooses. An entry without a platform fits when no other does. An absent variant
 * fits every variant. Attestations of BuildKit have the platform `unknown/unknown` and never fit.
 */
export function choosePlatform<Entry extends { readonly platform?: Platform }>(
  entries: readonly Entry[],
  wanted: Platform,
): Entry | undefined {
  const fits = ({ platform }: Entry): boolean =>
    platform?.os === wanted.os &&
    platform.architecture === wanted.architecture &&
    (platform.variant === undefined || wanted.variant === undefined || platform.variant === wanted.variant);
  return entries.find(fits) ?? entries.find(({ platform }) => platform === undefined);
}
