/** Plugins of esbuild for every bundle of this project. */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** Of the plugin, and of these modules in the list of what a bundle was made from. */
const NAME = 'builtin-modules';
/** A name that Node exports and a module cannot declare, such as `default`, is left to the default export. */
const DECLARABLE = /^(?!default$)[A-Za-z_$][\w$]*$/;

/**
 * Takes modules of Node by `process.getBuiltinModule`. An import statement reads every export, and so loads what they stand for:
 * `node:http` loads a whole HTTP client because of its `WebSocket`. Only exports that the bundle uses are read.
 */
export const builtinModules: Plugin = {
  name: NAME,
  setup(builder) {
    builder.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: NAME } : undefined,
    );
    builder.onLoad({ filter: /./, namespace: NAME }, ({ path }) => ({ contents: builtinModule(path) }));
  },
};

function builtinModule(name: string): string {
  const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((one) => DECLARABLE.test(one));
  // esbuild drops a pure call whose result is not used.
  const exports = names.map(
    (one) => `export const ${one} = /* @__PURE__ */ exported(${JSON.stringify(one)});`,
  );
  return [
    `const builtin = process.getBuiltinModule(${JSON.stringify(name)});`,
    'const exported = (name) => builtin[name];',
    'export default builtin;',
    ...exports,
  ].join('\n');
}

/** Sources of this project do nothing when they are loaded, so one whose exports are not used is left out, with all that it imports. */
export const unusedIsDropped: Plugin = {
  name: 'unused-is-dropped',
  setup(builder) {
    builder.onResolve({ filter: /^(\.|@tinkerbell\/)/ }, async (request) => {
      if (request.pluginData === 'resolved') return undefined;
      const { importer, resolveDir, kind } = request;
      const found = await builder.resolve(request.path, {
        importer,
        resolveDir,
        kind,
        pluginData: 'resolved',
      });
      return found.path.endsWith('.ts') ? { path: found.path, sideEffects: false } : undefined;
    });
  },
};
