import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import { builtinModules, unusedIsDropped } from './bundle-plugins.ts';

const AGENT_SOURCES = new URL('../../apps/agent/src/', import.meta.url);

export interface BundleFile {
  /** `agent.mjs` or `action.mjs`, or the name of a part that it loads when needed. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** Bundles the agent and everything it imports as a few ES modules, `agent.mjs` first. */
export function bundleAgent(): Promise<readonly BundleFile[]> {
  return bundle({ agent: sourceOf('main.ts') });
}

/** Bundles the program that runs one action, `action.mjs`, without the agent around it. */
export function bundleAction(): Promise<readonly BundleFile[]> {
  return bundle({ action: sourceOf('action-main.ts') });
}

function sourceOf(file: string): string {
  return fileURLToPath(new URL(file, AGENT_SOURCES));
}

/** Names are kept so that stack traces can be read. */
async function bundle(entryPoints: Readonly<Record<string, string>>): Promise<readonly BundleFile[]> {
  const result = await build({
    entryPoints: { ...entryPoints },
    splitting: true,
    outdir: '/',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [builtinModules, unusedIsDropped],
    // The gRPC library is CommonJS and requires Node's own modules.
    banner: {
      js: "import{createRequire as agentRequire}from'node:module';const require=agentRequire(import.meta.url);",
    },
  });
  return result.outputFiles
    .map((file) => ({ name: basename(file.path), content: file.contents }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
