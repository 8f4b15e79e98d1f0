/** The web console must be quick on slow networks, so the size of its first load is limited. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '../..');
const FIRST_LOAD_BYTES_MAX = 150_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

test('the first load of the web console is smaller than 150 kB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-build-'));
  try {
    execFileSync(join(root, 'node_modules/.bin/vite'), ['build', join(root, 'apps/console')], {
      env: { ...process.env, CONSOLE_OUT: folder },
    });
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
    const files = new Set(['index.html']);
    // The overview is the first page.
    for (const entry of ['index.html', 'src/overview/overview-page.tsx']) addFiles(manifest, entry, files);
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length);
    const total = bytes.reduce((sum, one) => sum + one, 0);
    assert.ok(total < FIRST_LOAD_BYTES_MAX, `${total} bytes: ${[...files].join(', ')}`);
    assert.ok(![...files].some((file) => /console-panel|yaml/.test(file)), 'the terminal loads later');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function addFiles(manifest: Record<string, Chunk>, name: string, files: Set<string>): void {
  const { file, imports = [], css = [] } = manifest[name] ?? {};
  assert.ok(file !== undefined, `${name} is not built`);
  if (files.has(file)) return;
  for (const one of [file, ...css]) files.add(one);
  for (const one of imports) addFiles(manifest, one, files);
}
