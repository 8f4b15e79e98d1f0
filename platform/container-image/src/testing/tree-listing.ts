/** Everything that a test compares about a tree: names, types, modes, owners, links, times, attributes, contents. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RootedTree } from '../index.ts';
import { applyLayer, type AppliedLayer } from '../index.ts';
import { digestOf } from './digest-of.ts';

export function listingOf(root: string): readonly string[] {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stats = lstatSync(path);
    const kind = stats.mode.toString(8);
    const link = stats.isSymbolicLink() ? ` -> ${readlinkSync(path)}` : '';
    const content = stats.isFile()
      ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
      : '';
    // Directories count their subdirectories, which differ between file systems.
    const links = stats.isDirectory() ? '' : `links=${stats.nlink} size=${stats.size} rdev=${stats.rdev}`;
    lines.push(
      `${path.slice(root.length)} ${kind} ${stats.uid}:${stats.gid} ${links} ${Math.trunc(stats.mtimeMs / 1000)} ${content}${link}`,
    );
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(root);
  const attributes = execFileSync('getfattr', ['-R', '-P', '-h', '-d', '-m', '-', '-e', 'hex', '.'], {
    cwd: root,
  });
  return [...lines, ...attributes.toString().split('\n')];
}

export function applied(tree: RootedTree, layer: Buffer): Promise<AppliedLayer> {
  async function* bytes(): AsyncGenerator<Buffer, void> {
    for (let at = 0; at < layer.length; at += 700) yield layer.subarray(at, at + 700);
  }
  return applyLayer(tree, {
    bytes: bytes(),
    compression: 'none',
    diffId: digestOf(layer),
    maxBytes: 2 ** 30,
    maxEntries: 10_000,
  });
}
