/** Builds a `.deb` with dpkg-deb. The same entries and time give the same bytes. */
import { chmod, lutimes, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand, withParents, type TarEntry } from '@tinkerbell/hook';
import { conffiles, controlText, md5sums, type PackageDescription } from './control.ts';

export interface DebRequest {
  readonly description: PackageDescription;
  readonly entries: readonly TarEntry[];
  /** `postinst` and so on, with their text. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly outputDirectory: string;
  /** The time of every file, in seconds since the epoch. */
  readonly modifiedSeconds: number;
  /** Of dpkg-deb: `-Zxz`, `-z1`. */
  readonly compression: readonly string[];
}

/** Returns the path of the package. Rejects with the output of dpkg-deb. */
export async function buildDeb(request: DebRequest): Promise<string> {
  const { description, scripts, outputDirectory, modifiedSeconds } = request;
  const entries = withParents(request.entries);
  const work = await mkdtemp(join(tmpdir(), 'deb-'));
  try {
    const control = controlEntries(request.description, { entries, scripts });
    await writeEntries(work, withParents([...entries, ...control]), modifiedSeconds);
    const { name, version, architecture } = description;
    const target = join(outputDirectory, `${name}_${version}_${architecture}.deb`);
    await mkdir(outputDirectory, { recursive: true });
    await runCommand(
      'dpkg-deb',
      // One thread: how many there are must not change the bytes.
      ['--root-owner-group', '--threads-max=1', ...request.compression, '--build', work, target],
      { environment: { SOURCE_DATE_EPOCH: String(modifiedSeconds) } },
    );
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function controlEntries(
  description: PackageDescription,
  { entries, scripts }: { readonly entries: readonly TarEntry[]; readonly scripts: DebRequest['scripts'] },
): readonly TarEntry[] {
  const texts = {
    control: controlText(description, entries),
    md5sums: md5sums(entries),
    conffiles: conffiles(entries),
  };
  const files = Object.entries(texts).filter(([, text]) => text !== '');
  return [...files.map((file) => [...file, 0o644] as const), ...scriptsWithMode(scripts)].map(
    ([name, text, mode]) => ({ kind: 'file', path: `DEBIAN/${name}`, mode, content: Buffer.from(text) }),
  );
}

function scriptsWithMode(scripts: DebRequest['scripts']) {
  return Object.entries(scripts).map(([name, text]) => [name, text, 0o755] as const);
}

async function writeEntries(
  root: string,
  entries: readonly TarEntry[],
  modifiedSeconds: number,
): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of entries) {
    const path = join(root, entry.path);
    await mkdir(dirname(path), { recursive: true });
    if (entry.kind === 'link') await symlink(entry.target, path);
    else if (entry.kind === 'directory') await mkdir(path, { recursive: true });
    else await writeFile(path, entry.content);
    if (entry.kind !== 'link') await chmod(path, entry.mode);
  }
  // The inner ones first, because writing a file changes the time of its directory.
  const innerFirst = entries.toSorted((one, other) => other.path.length - one.path.length);
  for (const { path } of innerFirst) await lutimes(join(root, path), modifiedSeconds, modifiedSeconds);
  await lutimes(root, modifiedSeconds, modifiedSeconds);
}
