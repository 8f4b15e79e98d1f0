/**
 * Builds the web console into `out/console`, with compressed variants and `files.json`, the list that the server reads. Set-up runs
 * this when a source has changed. The new build replaces the old one at once, so that the server never serves half of one.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { runTool } from './run-step.ts';
import { consoleStamp } from './console-stamp.mjs';

const root = join(import.meta.dirname, '..');
const target = join(root, 'out/console');
const partial = `${target}.${process.pid}`;
/** Smaller files gain nothing. */
const COMPRESSED_BYTES_MIN = 512;

const startedMs = performance.now();
const stamp = consoleStamp(root);
process.env['CONSOLE_OUT'] = partial;
if (!runTool('vite', ['build', join(root, 'apps/console')])) process.exit(1);
const names = readdirSync(partial, { recursive: true, encoding: 'utf8' });
const files = Object.fromEntries(
  names
    .filter((name) => statSync(join(partial, name)).isFile() && name !== 'manifest.json')
    .map((name) => [name, described(name)]),
);
writeFileSync(join(partial, 'files.json'), JSON.stringify({ stamp, files }));
mkdirSync(join(root, 'out'), { recursive: true });
const old = `${target}.old.${process.pid}`;
if (existsSync(target)) renameSync(target, old);
renameSync(partial, target);
rmSync(old, { recursive: true, force: true });
process.stdout.write(`built the web console in ${Math.round(performance.now() - startedMs)} ms\n`);

function described(name: string): { readonly tag: string; readonly encodings: readonly string[] } {
  const bytes = readFileSync(join(partial, name));
  const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  if (bytes.length < COMPRESSED_BYTES_MIN) return { tag, encodings: [] };
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(join(partial, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
  writeFileSync(join(partial, `${name}.gzip`), gzipSync(bytes, { level: 9 }));
  return { tag, encodings: ['br', 'gzip'] };
}
