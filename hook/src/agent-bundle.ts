import { fileURLToPath } from 'node:url';

import { build, type Plugin } from 'esbuild';

/** The platform's log and its dependency are not the agent's: what it does not use is left out. */
const UNUSED_IS_DROPPED: Plugin = {
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

const AGENT_MAIN = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url));

/** The agent and everything it imports as one ES module. Names are kept so that stack traces can be read. */
export async function bundleAgent(): Promise<Uint8Array> {
  const result = await build({
    entryPoints: [AGENT_MAIN],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [UNUSED_IS_DROPPED],
    // The gRPC library is CommonJS and asks for Node's own modules with require.
    banner: {
      js: "import{createRequire as agentRequire}from'node:module';const require=agentRequire(import.meta.url);",
    },
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error('esbuild gave no output for the agent');
  return file.contents;
}
