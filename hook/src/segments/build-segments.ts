/** Builds the segments and their list. The list is part of the initramfs, so that the agent can verify them. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { Architecture } from '../architecture.ts';
import type { DebianArchive } from '../debian-archive.ts';
import { compressZstd, fromCache, MODIFIED_SECONDS } from '../initramfs-part.ts';
import { replaceFile } from '../replace-file.ts';
import { unpackPackages } from '../unpack-packages.ts';
import { programsOf, segmentEntries } from './segment-entries.ts';
import { segmentRecipesFor, type SegmentRecipe } from './segment-recipes.ts';
import { encodeTar } from './tar.ts';

const HASH_CHARACTERS = 16;

/** One entry of `segments-<architecture>.json`. */
export interface SegmentFile {
  readonly name: string;
  /** `<name>-<hash>.tar.zst`, beside the initramfs. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Paths in the in-memory OS, without the first slash. */
  readonly programs: readonly string[];
  /** Where its files are from. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
}

export interface SegmentsRequest {
  readonly architecture: Architecture;
  readonly archive: DebianArchive;
  readonly outputDirectory: string;
  readonly cacheDirectory: string;
  readonly workDirectory: string;
  readonly zstdLevel: number;
}

/** Writes `segments-<architecture>.json` and the files that it names. Returns both. */
export async function buildSegments(
  request: SegmentsRequest,
): Promise<{ readonly segments: readonly SegmentFile[]; readonly list: Uint8Array }> {
  const { architecture, outputDirectory } = request;
  await mkdir(outputDirectory, { recursive: true });
  const segments: SegmentFile[] = [];
  for (const recipe of segmentRecipesFor(architecture)) segments.push(await build(recipe, request));
  const document = { architecture: architecture.name, segments };
  const list = Buffer.from(`${JSON.stringify(document, undefined, 1)}\n`);
  // After the files that it names.
  await replaceFile(join(outputDirectory, `segments-${architecture.name}.json`), list);
  return { segments, list };
}

async function build(recipe: SegmentRecipe, request: SegmentsRequest): Promise<SegmentFile> {
  const { architecture, archive, zstdLevel, cacheDirectory, workDirectory, outputDirectory } = request;
  const { name } = recipe;
  const packages = await archive.download([...recipe.packages, ...recipe.libraryPackages].sort());
  const settings = JSON.stringify([recipe, zstdLevel, MODIFIED_SECONDS]);
  const inputs = [settings, ...packages.map((path) => basename(path))];
  const content = await fromCache({ name: `segment-${name}`, inputs, cacheDirectory }, async () => {
    const root = await unpackPackages(packages, join(workDirectory, `segment-${name}`));
    const entries = await segmentEntries(recipe, root, architecture);
    return compressZstd(encodeTar(entries, MODIFIED_SECONDS), zstdLevel);
  });
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file = `${name}-${sha256.slice(0, HASH_CHARACTERS)}.tar.zst`;
  await replaceFile(join(outputDirectory, file), content);
  const origins = packages.map(packageOf);
  return { name, file, bytes: content.length, sha256, programs: programsOf(recipe), packages: origins };
}

/** `name_version_architecture.deb`, in which apt writes the colon of an epoch as `%3a`. */
export function packageOf(path: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = basename(path).split('_');
  return { name, version: decodeURIComponent(version) };
}
