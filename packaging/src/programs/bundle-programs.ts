/**
 * Bundles the server and `tink`, each worker thread as an entry of its own. Set-up makes a bundle that runs in its checkout, and a
 * package has one that runs anywhere.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { builtinModules, unusedIsDropped } from '@tinkerbell/hook/bundle-plugins';

const ENTRIES: Readonly<Record<string, string>> = {
  server: 'apps/server/src/serve.ts',
  'render-worker': 'platform/template/src/render-worker.mjs',
  'text-worker': 'platform/node/src/text-worker.mjs',
  'verify-worker': 'apps/server/src/stores/verify-worker.ts',
  'checkpoint-worker': 'store/sqlite/src/checkpoint-worker.ts',
};

/** Apart from the server, because what one entry of a build uses is loaded by all that import from the same package. */
const TINK: Readonly<Record<string, string>> = { tink: 'apps/tink/src/tink.ts' };

/** Threads that need little of what the programs share: a bundle of its own starts sooner and takes less memory. */
const LONE_ENTRIES: Readonly<Record<string, string>> = {
  'dhcp-worker': 'apps/server/src/dhcp/dhcp-worker.mjs',
};

/** What another module requires late. An esbuild chunk with `require` would turn all that it uses into functions, called at each import. */
const LATE_ENTRIES: Readonly<Record<string, string>> = {
  certificate: 'platform/x509/src/certificate.ts',
  'dsa-key': 'platform/x509/src/dsa-key.ts',
  'node-template-platform': 'platform/template/src/node-template-platform.ts',
};

/**
 * A package that is imported when needed stays where it is. Bundled, a CommonJS package would have no named exports, and JSON would be
 * parsed as a program. OpenTelemetry loads parts of itself later, and finds none of them in a bundle. ssh2 looks for compiled code,
 * which is optional and was not built.
 */
const OUTSIDE = /^(?:@opentelemetry\/|ssh2$)/;

const OWN = /^@tinkerbell\//;

/** How a bundle finds what it was not made from. */
export interface BundlePlace {
  /** Replaces `import.meta` in the text of a source. The URLs of workers are already those of the bundle. */
  readonly withPaths: (text: string, path: string) => string;
  /** Returns what the bundle imports for a package that is outside. `path` is its file in `node_modules`. */
  readonly importOf: (specifier: string, path: string) => string;
}

export interface ProgramBundle {
  readonly files: readonly { readonly name: string; readonly contents: Uint8Array }[];
  /** Every file that is in the bundle, below the checkout. */
  readonly inputs: readonly string[];
  /** Those of `tink` alone. */
  readonly tinkInputs: readonly string[];
  /** What the bundle imports from packages outside, such as `@opentelemetry/api`. */
  readonly outside: readonly string[];
}

/** Rejects with the messages of esbuild. */
export async function bundlePrograms(checkout: string, place: BundlePlace): Promise<ProgramBundle> {
  const outside = new Set<string>();
  const bundled = (entries: Readonly<Record<string, string>>, splitting: boolean) =>
    build({
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
      // V8 keeps the text in memory. Names stay and lines are short, so that stack traces can be read.
      minifyWhitespace: true,
      lineLimit: 140,
      legalComments: 'none',
      logLevel: 'warning',
      plugins: [builtinModules, unusedIsDropped, pathsOfSources(place), packagesOutside(place, outside)],
      // Packages in CommonJS require Node's own modules.
      banner: {
        js: "import{createRequire as requireOfBundle}from'node:module';const require=requireOfBundle(import.meta.url);",
      },
    });
  const built = await Promise.all([
    bundled(TINK, true),
    bundled(LATE_ENTRIES, false),
    bundled(ENTRIES, true),
    bundled(LONE_ENTRIES, true),
  ]);
  const ofTink = built.slice(0, 2);
  return {
    files: filesOf(built.flatMap(({ outputFiles }) => outputFiles)),
    inputs: inputsOf(built.map(({ metafile }) => metafile)),
    tinkInputs: inputsOf(ofTink.map(({ metafile }) => metafile)),
    outside: [...outside].sort(),
  };
}

/** The name of a chunk contains the hash of its content, so that one which several builds made is the same. */
function filesOf(outputs: readonly OutputFile[]): ProgramBundle['files'] {
  const byName = new Map(outputs.map(({ path, contents }) => [basename(path), contents]));
  return [...byName].map(([name, contents]) => ({ name, contents }));
}

/** Returns the files, without the modules of Node. */
function inputsOf(metafiles: readonly Metafile[]): readonly string[] {
  const inputs = new Set(metafiles.flatMap((one) => Object.keys(one.inputs)));
  return [...inputs].filter((input) => !input.startsWith(`${builtinModules.name}:`));
}

/** A bundle is elsewhere than its sources. Workers, and what is required late, are found beside the bundle. */
function pathsOfSources({ withPaths }: BundlePlace): Plugin {
  return {
    name: 'paths-of-sources',
    setup(builder) {
      builder.onLoad({ filter: /\.(?:ts|mjs)$/ }, ({ path }) => {
        if (path.includes('/node_modules/')) return undefined;
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.')) return undefined;
        return { contents: withPaths(withLate(withWorkers(text)), path), loader: 'ts' };
      });
    },
  };
}

function withWorkers(text: string): string {
  return text.replaceAll(
    /new URL\('([a-z]+-worker)\.(?:ts|mjs)', import\.meta\.url\)/g,
    (_, name) => `new URL('./${name}.mjs', import.meta['url'])`,
  );
}

/** Exported for its test. @throws Error for a module that LATE_ENTRIES lacks. */
export function withLate(text: string): string {
  if (!/\brequire\('\.\//.test(text)) return text;
  return text
    .replaceAll('createRequire(import.meta.url)', "createRequire(import.meta['url'])")
    .replaceAll(/\brequire\('\.\/([a-z0-9-]+)\.ts'\)/g, (_, name) => {
      if (LATE_ENTRIES[name] === undefined)
        throw new Error(`${name}.ts is required late: add it to LATE_ENTRIES`);
      return `require('./${name}.mjs')`;
    });
}

function packagesOutside({ importOf }: BundlePlace, outside: Set<string>): Plugin {
  const plugin: Plugin = {
    name: 'packages-outside',
    setup(builder) {
      builder.onResolve({ filter: /^[^.]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        const isOutside = kind === 'dynamic-import' || OUTSIDE.test(path);
        if (!isOutside || OWN.test(path) || pluginData === plugin) return undefined;
        const found = await builder.resolve(path, { kind, importer, resolveDir, pluginData: plugin });
        if (!found.path.includes('/node_modules/')) return undefined;
        outside.add(path);
        return { path: importOf(path, found.path), external: true };
      });
    },
  };
  return plugin;
}
