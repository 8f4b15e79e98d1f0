import { patchIpxeBinary } from '@tinkerbell/ipxe';
import { AUTOEXEC_SCRIPT, reservationFor } from '@tinkerbell/netboot';
import type { FileInfo } from '@tinkerbell/platform-contract';
import { encodeUtf8, parseMac } from '@tinkerbell/wire';
import type { BootConfig, BootDeps } from './config.ts';

/** Larger files take minutes by TFTP and are held in memory while they travel: they belong on HTTP. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
/** What stays in memory between transfers: a kernel, an initrd and the iPXE binaries. */
const CACHE_BYTES_MAX = 256 * 1024 * 1024;
const PATH_CHARACTERS_MAX = 512;

/** Where Debian's ipxe package has the same build under another name than upstream's table. */
const debianNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['snp-arm64.efi', ['snponly-arm64.efi', 'ipxe-arm64.efi']],
  ['snp-x86_64.efi', ['snponly.efi']],
]);

export interface BootFiles {
  /** A TFTP file by its name: the first source that has it; undefined when none does. */
  find(fileName: string): Promise<Uint8Array | undefined>;
  /** An iPXE binary, or `autoexec.ipxe`, by the last element of a path; undefined when there is none. */
  binary(path: string): Promise<Uint8Array | undefined>;
}

/**
 * Where boot files come from: iPXE binaries by base name, `pxelinux.cfg/01-<mac>` from the Hardware, the asset directory,
 * then our own `autoexec.ipxe`. An ordered list: the first that does not decline wins.
 */
export function createBootFiles(
  deps: Pick<BootDeps, 'files' | 'view' | 'log'>,
  config: BootConfig,
): BootFiles {
  const cache = createFileCache(deps);
  const binary = async (path: string) => {
    const name = binaryNameOf(path);
    const names = name === undefined ? [] : [name, ...(debianNames.get(name) ?? [])];
    for (const each of names) {
      const bytes = await cache.read(config.ipxeDirectory, each);
      if (bytes !== undefined) return patched(bytes, config.ipxePatch, deps);
    }
    return undefined;
  };
  const asset = async (fileName: string) => {
    const directory = config.tftp?.assetDirectory;
    const path = relativePathOf(fileName);
    return directory === undefined || path === undefined ? undefined : cache.read(directory, path);
  };
  const sources = [binary, async (fileName: string) => pxelinuxConfig(fileName, deps), asset, autoexec];
  return {
    binary: async (path) => (await binary(path)) ?? autoexec(path),
    async find(fileName) {
      for (const source of sources) {
        const bytes = await source(fileName);
        if (bytes !== undefined) return bytes;
      }
      return undefined;
    },
  };
}

/**
 * The file name at the end of a path, directories ignored so that `<mac>/ipxe.efi` works, without the trace suffix
 * upstream's DHCP appends (`-00-<trace id>-<span id>-<flags>`). Undefined when it is no plain binary name.
 */
export function binaryNameOf(path: string): string | undefined {
  const base = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/-[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/, '');
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}\.(?:efi|kpxe|kkpxe|pxe|iso|img|lkrn)$/.test(base)
    ? base
    : undefined;
}

/** A name relative to a root, or undefined when it climbs, is no text or could name anything but a file below. */
export function relativePathOf(fileName: string): string | undefined {
  if (fileName.length > PATH_CHARACTERS_MAX || /[\p{Cc}\\:]/u.test(fileName)) return undefined;
  const segments = fileName.replace(/^\/+/, '').split('/');
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return isPlain ? segments.join('/') : undefined;
}

/**
 * iPXE on UEFI (1.21 and newer) first looks for this name: in the root of TFTP, or beside the binary on HTTP. Giving it one
 * saves the Ctrl-B prompt and the wait for an IPv6 router: with it the script was asked for 0.5 s after the binary in QEMU.
 */
async function autoexec(path: string): Promise<Uint8Array | undefined> {
  return /^(?:.*\/)?autoexec\.ipxe$/.test(path) ? encodeUtf8(AUTOEXEC_SCRIPT) : undefined;
}

function pxelinuxConfig(fileName: string, { view }: Pick<BootDeps, 'view'>): Uint8Array | undefined {
  const mac = parseMac(/^pxelinux\.cfg\/01-([0-9a-fA-F-]{17})$/.exec(fileName)?.[1] ?? '');
  if (mac === undefined) return undefined;
  const reservation = reservationFor(view.hardwareByMac(mac), mac);
  const text = reservation.ok ? reservation.value.pxelinuxConfig : '';
  return text === '' ? undefined : encodeUtf8(text);
}

function patched(binary: Uint8Array, patch: string, { log }: Pick<BootDeps, 'log'>): Uint8Array {
  if (patch === '') return binary;
  const result = patchIpxeBinary(binary, patch);
  if (result.ok) return result.bytes;
  log.warn('iPXE binary served without the patch', { reason: result.code, detail: result.message });
  return binary;
}

interface CachedFile {
  readonly info: FileInfo;
  readonly bytes: Uint8Array;
}

/** Whole files, as long as they do not change on disk; the least recently used go first. */
function createFileCache({ files }: Pick<BootDeps, 'files'>) {
  const cached = new Map<string, CachedFile>();
  let cachedBytes = 0;
  const forget = (key: string) => {
    cachedBytes -= cached.get(key)?.bytes.length ?? 0;
    cached.delete(key);
  };
  return {
    async read(root: string, path: string): Promise<Uint8Array | undefined> {
      const info = await files.stat(root, path);
      if (info === undefined || !info.isFile || info.sizeBytes > FILE_BYTES_MAX) return undefined;
      const key = `${root}\0${path}`;
      const known = cached.get(key);
      const isFresh = known?.info.modifiedMs === info.modifiedMs && known.info.sizeBytes === info.sizeBytes;
      const bytes = isFresh ? known.bytes : await files.read(root, path, FILE_BYTES_MAX);
      forget(key);
      if (bytes === undefined) return undefined;
      cached.set(key, { info, bytes });
      cachedBytes += bytes.length;
      for (const oldest of cached.keys()) {
        if (cachedBytes <= CACHE_BYTES_MAX || oldest === key) break;
        forget(oldest);
      }
      return bytes;
    },
  };
}
