/** The image configuration (OCI image specification v1.1 "config.md"): what a container of this image runs. */
import { readDigest, type Digest } from './digest.ts';
import { isObject, objectAt, optionalString, parseJson, stringAt, stringsAt } from './json-fields.ts';
import { OciError } from './oci-error.ts';

export interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  /** Digests of the uncompressed layers, base first. */
  readonly diffIds: readonly Digest[];
  /** `NAME=value`. */
  readonly environment: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** Absolute, `/` when absent. */
  readonly workingDirectory: string;
  /** `user`, `uid`, `user:group` or `uid:gid`; empty for root. */
  readonly user: string;
  readonly stopSignal?: string;
}

export const CONFIG_MAX_BYTES = 8 * 1024 * 1024;
const ENTRIES_MAX = 4096;

/** Throws an `OciError` that names the field. */
export function readImageConfig(bytes: Uint8Array): ImageConfig {
  if (bytes.length > CONFIG_MAX_BYTES)
    throw new OciError('config', `is larger than ${CONFIG_MAX_BYTES} bytes`);
  const json = parseJson(bytes, 'config');
  const run = isObject(json['config']) ? json['config'] : {};
  const rootfs = objectAt(json['rootfs'], 'rootfs');
  const stopSignal = optionalString(run['StopSignal'], 'config.StopSignal');
  const workingDirectory = optionalString(run['WorkingDir'], 'config.WorkingDir') ?? '';
  return {
    architecture: stringAt(json['architecture'], 'architecture'),
    os: stringAt(json['os'], 'os'),
    diffIds: stringsAt(rootfs['diff_ids'], 'rootfs.diff_ids', ENTRIES_MAX).map((text, index) =>
      readDigest(text, `rootfs.diff_ids[${index}]`),
    ),
    environment: stringsAt(run['Env'], 'config.Env', ENTRIES_MAX),
    entrypoint: stringsAt(run['Entrypoint'], 'config.Entrypoint', ENTRIES_MAX),
    command: stringsAt(run['Cmd'], 'config.Cmd', ENTRIES_MAX),
    workingDirectory: workingDirectory.startsWith('/') ? workingDirectory : `/${workingDirectory}`,
    user: optionalString(run['User'], 'config.User') ?? '',
    ...(stopSignal === undefined || stopSignal === '' ? {} : { stopSignal }),
  };
}
