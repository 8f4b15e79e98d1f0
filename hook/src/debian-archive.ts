/**
 * Fetches Debian packages as files. apt finds and checks them in a private directory, so that nothing is
 * installed on this machine, and another Debian release than its own can be used.
 */
import { access, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readDebianMirrors, sourcesFor } from './debian-sources.ts';
import { runCommand } from './run-command.ts';

/** Package lists younger than this are not fetched again. */
const LISTS_FRESH_MS = 24 * 3600 * 1000;

export interface DebianArchive {
  readonly suite: string;
  /** The content of an apt sources file for this archive. */
  readonly sources: string;
  /**
   * Returns the `package_version_architecture.deb` names of the newest versions. They change when Debian
   * updates.
   */
  fileNames(packages: readonly string[]): Promise<readonly string[]>;
  /** Downloads what is not yet cached. Returns absolute paths of the `.deb` files, in the requested order. */
  download(packages: readonly string[]): Promise<readonly string[]>;
  /** Returns the direct dependencies of a package, first alternatives only. */
  dependencies(packageName: string): Promise<readonly string[]>;
}

export interface ArchiveOptions {
  /** `bookworm`, `trixie`. */
  readonly suite: string;
  readonly cacheDirectory: string;
  /** Debian's name (default: amd64). */
  readonly architecture?: 'amd64' | 'arm64';
}

/**
 * Opens the archive of one Debian release for one processor.
 *
 * @throws Error when the lists can neither be fetched nor found in the cache.
 */
export function openDebianArchive(options: ArchiveOptions): Promise<DebianArchive> {
  const key = `${options.suite} ${options.architecture ?? 'amd64'} ${options.cacheDirectory}`;
  const known = opened.get(key) ?? openArchive(options);
  opened.set(key, known);
  return known;
}

/** apt locks its directory, so one process opens an archive once. */
const opened = new Map<string, Promise<DebianArchive>>();

async function openArchive(options: ArchiveOptions): Promise<DebianArchive> {
  const { suite, architecture = 'amd64' } = options;
  const place = architecture === 'amd64' ? suite : `${suite}-${architecture}`;
  const directory = join(options.cacheDirectory, 'debian', place);
  const packageDirectory = join(options.cacheDirectory, 'debian', 'packages');
  const sources = sourcesFor(suite, await readDebianMirrors());
  const apt = await preparePrivateApt(directory, sources, architecture);
  await refreshLists(apt, directory);
  await mkdir(packageDirectory, { recursive: true });

  async function fileNames(packages: readonly string[]): Promise<readonly string[]> {
    const text = await runCommand('apt-get', [...apt, 'download', '--print-uris', ...packages]);
    const found = text.split('\n').flatMap((line) => /^'[^']+' (\S+) /.exec(line)?.[1] ?? []);
    return packages.map((name) => {
      const file = found.find((candidate) => candidate.startsWith(`${name}_`));
      if (file === undefined) throw new Error(`Debian ${suite} has no package ${name}`);
      return file;
    });
  }

  async function download(packages: readonly string[]): Promise<readonly string[]> {
    const names = await fileNames(packages);
    const missing: string[] = [];
    for (const [index, name] of names.entries()) {
      const wanted = packages[index];
      if (wanted !== undefined && !(await exists(join(packageDirectory, name)))) missing.push(wanted);
    }
    if (missing.length > 0) await fetchInto(packageDirectory, missing);
    return names.map((name) => join(packageDirectory, name));
  }

  async function fetchInto(target: string, packages: readonly string[]): Promise<void> {
    const partial = await mkdtemp(join(directory, 'partial-'));
    await runCommand('apt-get', [...apt, 'download', ...packages], { directory: partial });
    for (const name of await fileNames(packages)) {
      await rename(join(partial, name), join(target, name));
    }
    await rm(partial, { recursive: true });
  }

  async function dependencies(packageName: string): Promise<readonly string[]> {
    const text = await runCommand('apt-cache', [
      ...apt,
      'depends',
      '--no-recommends',
      '--no-suggests',
      packageName,
    ]);
    return text.split('\n').flatMap((line) => /^ {2}Depends: (\S+)/.exec(line)?.[1] ?? []);
  }

  return { suite, sources, fileNames, download, dependencies };
}

/** Creates the private state and returns the options that make apt use it. */
async function preparePrivateApt(
  directory: string,
  sources: string,
  architecture: string,
): Promise<readonly string[]> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'preferences.d']) {
    await mkdir(join(directory, name), { recursive: true });
  }
  await writeFile(join(directory, 'sources.list'), sources);
  await writeFile(join(directory, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': join(directory, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::Etc::preferencesparts': join(directory, 'preferences.d'),
    'Dir::Etc::preferences': '/dev/null',
    'Dir::State': directory,
    'Dir::State::lists': join(directory, 'lists'),
    'Dir::State::status': join(directory, 'status'),
    'Dir::Cache': join(directory, 'cache'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'APT::Get::List-Cleanup': 'false',
    'Acquire::Languages': 'none',
    // Lists are read once and found quickly. Some container images disable this cache.
    'Dir::Cache::pkgcache': 'pkgcache.bin',
    'Dir::Cache::srcpkgcache': 'srcpkgcache.bin',
    // A container image may delete downloads and keep lists compressed, for its own reasons.
    'APT::Update::Post-Invoke': '',
    'APT::Update::Post-Invoke-Success': '',
  };
  return Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}

async function refreshLists(apt: readonly string[], directory: string): Promise<void> {
  const stamp = join(directory, 'lists-complete');
  const age = await stat(stamp).then(
    (info) => Date.now() - info.mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
  const current = await readFile(join(directory, 'sources.list'), 'utf8');
  const sameSources = (await readFile(stamp, 'utf8').catch(() => '')) === current;
  if (age < LISTS_FRESH_MS && sameSources) return;
  try {
    await runCommand('apt-get', [...apt, '-qq', 'update']);
    await writeFile(stamp, current);
  } catch (cause) {
    // Old lists still build what they built yesterday, which is better than no build without a network.
    if (!sameSources) throw cause;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
