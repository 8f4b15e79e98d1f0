import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

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
    // The gRPC library is CommonJS and asks for Node's own modules with require.
    banner: {
      js: "import{createRequire as agentRequire}from'node:module';const require=agentRequire(import.meta.url);",
    },
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error('esbuild gave no output for the agent');
  return file.contents;
}
