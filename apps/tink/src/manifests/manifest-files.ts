/** Reads the texts of `-f`: files, folders, standard input. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { YAML_TEXT_LIMIT } from '@tinkerbell/yaml';
import { readText, unreadable } from '../files/unreadable.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';

export interface SourceFile {
  /** The name that the user gave, for messages; `standard input` for `-`. */
  readonly name: string;
  readonly text: string;
}

const FILES_LIMIT = 10_000;
const MANIFEST = /\.(ya?ml|json)$/i;

export interface ReadOptions {
  /** Includes subfolders. */
  readonly recursive?: boolean | undefined;
}

/** Returns all manifests of `paths` in the given order; within a folder, by name. */
export async function readManifestFiles(
  paths: readonly string[],
  terminal: Pick<Terminal, 'readInput'>,
  options: ReadOptions = {},
): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const path of paths) {
    const names = path === '-' ? ['-'] : await manifestsAt(path, options);
    for (const name of names) files.push(await readSource(name, terminal));
    if (files.length > FILES_LIMIT) throw new TinkFailure(`more than ${FILES_LIMIT} files under ${path}`);
  }
  return files;
}

/** Reads one file; `-` is standard input. */
export async function readSource(name: string, terminal: Pick<Terminal, 'readInput'>): Promise<SourceFile> {
  if (name === '-') return { name: 'standard input', text: await terminal.readInput() };
  if (/^https?:\/\//.test(name)) {
    throw usageFailure(
      `${name} is a URL, not a file`,
      `fetch it yourself: curl -fsSL ${name} | tink apply -f -`,
    );
  }
  const { size } = await stat(name).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  if (size > YAML_TEXT_LIMIT) {
    throw new TinkFailure(`${name} has ${size} bytes (limit of a manifest: ${YAML_TEXT_LIMIT})`);
  }
  const text = await readText(name);
  return { name, text: text.replace(/^\ufeff/, '') };
}

async function manifestsAt(path: string, options: ReadOptions): Promise<readonly string[]> {
  if (/^https?:\/\//.test(path)) return [path];
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: options.recursive === true });
  const names = entries
    .filter((entry) => MANIFEST.test(entry.name) && !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (names.length > 0) return names;
  const advice = options.recursive ? undefined : 'to include subfolders, add --recursive';
  throw new TinkFailure(`${path} has no .yaml, .yml or .json file`, { advice });
}
