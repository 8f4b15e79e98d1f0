/**
 * Bundles the server and `tink`, each worker thread as an entry of its own, into `.cache/programs`. `bin/bundled-program.mjs` finds
 * them. Set-up runs this when a source has changed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundlesOf, checkout, type BundleIndex } from '../bin/bundled-program.mjs';

const ENTRIES: Readonly<Record<string, string>> = {
  server: 'apps/server/src/serve.ts',
  tink: 'apps/tink/src/tink.ts',
  'render-worker': 'platform/template/src/render-worker.mjs',
  'text-worker': 'platform/node/src/text-worker.mjs',
  'verify-worker': 'apps/server/src/stores/verify-worker.ts',
  'checkpoint-worker': 'store/sqlite/src/checkpoint-worker.ts',
};
/** Threads that need little of what the programs share: a bundle of its own starts sooner and takes less memory. */
const LONE_ENTRIES: Readonly<Record<string, string>> = {
  'dhcp-worker': 'apps/server/src/dhcp/dhcp-worker.mjs',
};
/** Set-up changes it with every installation, so it stands for all files of `node_modules`. */
const PACKAGES_STAMP = 'node_modules/.setup-stamp';
const SELF = 'scripts/bundle-programs.ts';
/** A running server loads further files of its bundle later. */
const BUNDLES_KEPT = 8;

/** A bundle is elsewhere than its sources: their own paths are inserted, and workers are found beside the bundle. */
const pathsOfSources: Plugin = {
  name: 'paths-of-sources',
  setup(builder) {
    builder.onLoad({ filter: /\.(?:ts|mjs)$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      return { contents: withPaths(text, path), loader: 'ts' };
    });
  },
};

function withPaths(text: string, path: string): string {
  return text
    .replaceAll(
      /new URL\('([a-z]+-worker)\.(?:ts|mjs)', import\.meta\.url\)/g,
      (_, name) => `new URL('./${name}.mjs', import.meta['url'])`,
    )
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
}

/**
 * A package that is imported when needed stays where it is. Bundled, a CommonJS package would have no named exports, and JSON would be
 * parsed as a program. OpenTelemetry loads parts of itself later, and finds none of them in a bundle. ssh2 looks for compiled code,
 * which is optional and was not built.
 */
const OUTSIDE = /^(?:@opentelemetry\/|ssh2$)/;

const packagesOutside: Plugin = {
  name: 'packages-outside',
  setup(builder) {
    builder.onResolve({ filter: /^[^.]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      const isOutside = kind === 'dynamic-import' || OUTSIDE.test(path);
      if (!isOutside || pluginData === packagesOutside) return undefined;
      const found = await builder.resolve(path, { kind, importer, resolveDir, pluginData: packagesOutside });
      const isPackage = found.path.includes('/node_modules/');
      return isPackage ? { path: pathToFileURL(found.path).href, external: true } : undefined;
    });
  },
};

const startedMs = Date.now();
const built = await Promise.all([bundled(ENTRIES, true), bundled(LONE_ENTRIES, false)]);
const outputFiles = built.flatMap((one) => one.outputFiles);
const inputs = new Set(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)));

const hash = createHash('sha256');
for (const { path, contents } of outputFiles) hash.update(path).update(contents);
const folder = hash.digest('hex').slice(0, 16);
const bundles = bundlesOf(checkout);
writeFolder(join(bundles, folder));
writeIndex({ root: checkout, folder, inputs: inputsOf([...inputs]) });
dropOldBundles();
process.stdout.write(`bundled in ${Date.now() - startedMs} ms\n`);

function bundled(entries: Readonly<Record<string, string>>, splitting: boolean) {
  return build({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, path]) => [name, join(checkout, path)]),
    ),
    absWorkingDir: checkout,
    outdir: '/',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    // Not minified, so that stack traces can be read.
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [pathsOfSources, packagesOutside],
    // Packages in CommonJS require Node's own modules.
    banner: {
      js: "import{createRequire as requireOfBundle}from'node:module';const require=requireOfBundle(import.meta.url);",
    },
  });
}

/** Complete or absent, also when several set-ups run at one time. */
function writeFolder(target: string): void {
  if (statSync(target, { throwIfNoEntry: false }) !== undefined) return;
  const partial = `${target}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(partial, path), contents);
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
  return [...own, PACKAGES_STAMP, SELF].map((path) => {
    const { size, mtimeMs } = statSync(join(checkout, path));
    // An edit during the build may not be in the bundle.
    return [path, size, mtimeMs < startedMs ? mtimeMs : 0] as const;
  });
}

function writeIndex(index: BundleIndex): void {
  const partial = join(bundles, `index.${process.pid}`);
  writeFileSync(partial, JSON.stringify(index));
  renameSync(partial, join(bundles, 'index.json'));
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
