/** Whether the web console is built from the current sources. Plain JavaScript for the machine's own Node, as setup.mjs. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Packages of the repository whose sources the console contains. */
const SOURCES = [
  'apps/console',
  'languages/yaml',
  'domain/access',
  'domain/diagnosis',
  'domain/workflow/src/shown-state.ts',
];
const OTHERS = ['package-lock.json', 'scripts/build-console.ts'];

/** Returns a hash of the content of all sources, so that a fresh checkout and an edit are both detected. */
export function consoleStamp(root) {
  const hash = createHash('sha256');
  for (const path of [...SOURCES.flatMap((one) => filesBelow(root, one)), ...OTHERS])
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** Returns whether `out/console` is built from the current sources. */
export function isConsoleBuilt(root) {
  try {
    return (
      JSON.parse(readFileSync(join(root, 'out/console/files.json'), 'utf8')).stamp === consoleStamp(root)
    );
  } catch {
    return false;
  }
}

function filesBelow(root, path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ name }) => filesBelow(root, `${path}/${name}`));
}
