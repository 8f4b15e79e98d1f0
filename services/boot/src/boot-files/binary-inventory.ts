import { knownBinaries, type NetbootSettings } from '@tinkerbell/netboot';
import type { Log } from '@tinkerbell/platform-contract';
import type { BootFile, BootFiles } from './index.ts';
import type { BootConfig, BootDeps } from '../config.ts';

/** The time a search result counts, so that an operator who copies a file need not restart the server. */
const KEPT_MS = 5_000;
/** Names come from flags and Hardware. Beyond this number, further names are assumed to exist. */
const NAMES_MAX = 256;
/** Earlier versions of iPXE hang when a script exits under UEFI. Debian 12's reports `1.0.0+git-20190125.36a4c85-5.1`. */
const OLD_VERSION = /^1\.0\.0\+git-2019/;

type Protocol = 'http' | 'tftp';

interface Entry {
  isMissing: boolean;
  untilMs: number;
}

export interface BinaryInventory {
  /** Returns true when the file was searched and is missing. A new name is searched for the next packet. */
  lacks(name: string, protocol: Protocol): boolean;
  /** Searches every binary that an architecture gets, and logs what is served. */
  load(): Promise<void>;
}

/**
 * Knows which boot files the server has, so that DHCP offers only those. DHCP answers at once, with the result of the last
 * search.
 */
export function createBinaryInventory(
  deps: Pick<BootDeps, 'clock' | 'log'>,
  { files, config }: { readonly files: BootFiles; readonly config: BootConfig },
): BinaryInventory {
  const { clock, log } = deps;
  const entries = new Map<string, Entry>();
  /** Missing names that were logged, once for both protocols, until they are found again. */
  const warned = new Set<string>();

  async function look(name: string, protocol: Protocol, entry: Entry): Promise<void> {
    const wasMissing = entry.isMissing;
    entry.untilMs = clock.monotonicMs() + KEPT_MS;
    entry.isMissing = !(await isThere(files, name, protocol));
    if (!entry.isMissing) warned.delete(name);
    else if (!wasMissing && !warned.has(name)) warnOfMissing(name);
  }

  function warnOfMissing(file: string): void {
    warned.add(file);
    log.warn('boot file missing: DHCP does not offer it', {
      file,
      directory: config.ipxeDirectory,
      advice:
        'run "npm run setup -- ipxe" to fetch current binaries, or set --ipxe-binary-dir to a folder that has the file',
    });
  }

  function entryOf(key: string): Entry | undefined {
    const known = entries.get(key);
    if (known !== undefined || entries.size >= NAMES_MAX) return known;
    const entry = { isMissing: false, untilMs: 0 };
    entries.set(key, entry);
    return entry;
  }

  return {
    lacks(name, protocol) {
      const entry = entryOf(`${protocol} ${name}`);
      if (entry === undefined) return false;
      if (entry.untilMs <= clock.monotonicMs())
        void look(name, protocol, entry).catch((error: unknown) =>
          log.warn('boot file lookup failed', { file: name, error: String(error) }),
        );
      return entry.isMissing;
    },
    async load() {
      const names = knownBinaries(config.netboot.architectureOverrides);
      for (const name of names) {
        for (const protocol of ownProtocols(config)) {
          const entry = entryOf(`${protocol} ${name}`);
          if (entry !== undefined) await look(name, protocol, entry);
        }
      }
      await logServed(names, { files, config, log });
    },
  };
}

async function logServed(
  names: readonly string[],
  { files, config, log }: { readonly files: BootFiles; readonly config: BootConfig; readonly log: Log },
): Promise<void> {
  const served: string[] = [];
  for (const name of names) {
    const file = await files.binary(name);
    if (file === undefined) continue;
    const version = file.whole === undefined ? undefined : ipxeVersionIn(file.whole);
    served.push(version === undefined ? name : `${name} (${version})`);
    if (OLD_VERSION.test(version ?? ''))
      log.warn('this iPXE hangs under UEFI when a script exits', {
        file: name,
        version,
        directory: config.ipxeDirectory,
        advice: 'run "npm run setup -- ipxe" to fetch a current one',
      });
  }
  log.info('iPXE binaries', { directory: config.ipxeDirectory, served: served.join(', ') || 'none' });
}

/** Returns the settings with the missing binaries. Settings for files of another server stay unchanged. */
export function withInventory(config: BootConfig, inventory: BinaryInventory): NetbootSettings {
  const own = ownProtocols(config);
  return {
    ...config.netboot,
    lacksBinary: (name, protocol) => own.includes(protocol) && inventory.lacks(name, protocol),
  };
}

/** The protocols by which clients fetch binaries from this server, and not from another one that the settings name. */
function ownProtocols({ netboot, tftp, routes }: BootConfig): readonly Protocol[] {
  const { serverAddress } = netboot;
  const hasTftp = tftp !== undefined && netboot.tftp.address === serverAddress;
  const hasHttp = routes.binary && URL.parse(netboot.httpBinary.url)?.hostname === serverAddress;
  return [...(hasTftp ? (['tftp'] as const) : []), ...(hasHttp ? (['http'] as const) : [])];
}

async function isThere(files: BootFiles, name: string, protocol: Protocol): Promise<boolean> {
  if (protocol === 'http') return (await files.binary(name)) !== undefined;
  return (await files.find({ fileName: name, clientAddress: '' })).kind !== 'not-found';
}

/** Returns the version in the text of a UEFI binary. BIOS binaries are compressed. */
export function ipxeVersionIn(bytes: NonNullable<BootFile['whole']>): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return /\b1\.\d{1,3}\.\d{1,3}\+[\w.+-]{1,64}/.exec(text)?.[0];
}
