/**
 * Bundles the server and `tink` into `.cache/programs`. `bin/bundled-program.mjs` finds them. Set-up runs this when a source has
 * changed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlesOf, checkout, type BundleIndex } from '../bin/bundled-program.mjs';
import { bundlePrograms } from '../packaging/src/programs/bundle-programs.ts';

/** Set-up changes it with every installation, so it stands for all files of `node_modules`. */
const PACKAGES_STAMP = 'node_modules/.setup-stamp';
const BUNDLERS = [
  'scripts/bundle-programs.ts',
  'packaging/src/programs/bundle-programs.ts',
  'hook/src/bundle-plugins.ts',
];
/** A running server loads further files of its bundle later. */
const BUNDLES_KEPT = 8;

const startedMs = Date.now();
const { files, inputs, tinkInputs } = await bundlePrograms(checkout, {
  // The bundle stays in its checkout.
  withPaths: (text, path) =>
    text
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
  importOf: (_, path) => pathToFileURL(path).href,
});

const hash = createHash('sha256');
for (const { name, contents } of files) hash.update(`/${name}`).update(contents);
const folder = hash.digest('hex').slice(0, 16);
const bundles = bundlesOf(checkout);
writeFolder(join(bundles, folder));
writeIndex('server', { root: checkout, folder, inputs: inputsOf(inputs) });
writeIndex('tink', { root: checkout, folder, inputs: inputsOf(tinkInputs) });
dropOldBundles();
process.stdout.write(`bundled in ${Date.now() - startedMs} ms\n`);

/** Complete or absent, also when several set-ups run at one time. */
function writeFolder(target: string): void {
  if (statSync(target, { throwIfNoEntry: false }) !== undefined) return;
  const partial = `${target}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const { name, contents } of files) writeFileSync(join(partial, name), contents);
  try {
    renameSync(partial, target);
  } catch {
    // Another set-up has written the same content.
    rmSync(partial, { recursive: true });
  }
}

function inputsOf(paths: readonly string[]): BundleIndex['inputs'] {
  const sources = paths.map((path) => relative(checkout, resolve(checkout, path)));
  const own = sources.filter((path) => !path.startsWith('node_modules/'));
  return [...own, PACKAGES_STAMP, ...BUNDLERS].map((path) => {
    const { size, mtimeMs } = statSync(join(checkout, path));
    // An edit during the build may not be in the bundle.
    return [path, size, mtimeMs < startedMs ? mtimeMs : 0] as const;
  });
}

function writeIndex(program: string, index: BundleIndex): void {
  const partial = join(bundles, `index.${process.pid}`);
  writeFileSync(partial, JSON.stringify(index));
  renameSync(partial, join(bundles, `${program}.json`));
}

function dropOldBundles(): void {
  const changedMs = (name: string): number => statSync(join(bundles, name)).mtimeMs;
  const folders = readdirSync(bundles, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const newestFirst = folders
    .map(({ name }) => name)
    .toSorted((one, other) => changedMs(other) - changedMs(one));
  for (const name of newestFirst.slice(BUNDLES_KEPT))
    if (name !== folder) rmSync(join(bundles, name), { recursive: true });
}
