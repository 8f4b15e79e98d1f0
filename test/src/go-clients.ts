/** Builds the newest clients of Kubernetes from their Go modules into `.cache`: test/go and helm. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCacheLock } from '@tinkerbell/hook';
import { goProgram, isProxyUnreachable, runGo } from './go-toolchain.ts';
import { kubectlCache } from './installed-kubectl.ts';

const sources = join(import.meta.dirname, '../go');
const folder = join(kubectlCache, 'go-clients');
/** kubectl gets its own version from the linker. */
const KUBERNETES = 'v1.37.1';
const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const NO_GO = 'Go is not installed: the newest kubectl and helm cannot be built';
const NO_MODULES = 'the Go module proxy is unreachable: the newest kubectl and helm cannot be built';

export type GoClient = 'kubectl' | 'helm' | 'leader' | 'marshal';
export type GoClients =
  | { readonly path: (client: GoClient) => string; readonly skip: false }
  | { readonly skip: string };

/**
 * Builds what has changed since the last time, which takes some minutes at first. Rejects when it does not
 * compile.
 */
export async function goClients(): Promise<GoClients> {
  const go = goProgram();
  if (go === undefined) return { skip: NO_GO };
  try {
    await withCacheLock(kubectlCache, () => build(go));
  } catch (thrown) {
    if (isProxyUnreachable(thrown)) return { skip: NO_MODULES };
    throw thrown;
  }
  return { path: (client) => join(folder, client), skip: false };
}

async function build(go: string): Promise<void> {
  const stamp = join(folder, 'built');
  const wanted = digest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(folder, { recursive: true });
  const version = `-X k8s.io/component-base/version.gitVersion=${KUBERNETES}`;
  const flags = ['-p', '1', '-trimpath', '-ldflags', `-s -w ${version}`];
  await runGo(go, ['build', ...flags, '-o', `${folder}/`, './kubectl', './leader', './marshal'], {
    cwd: sources,
  });
  await runGo(go, ['install', ...flags, HELM], { cwd: folder, installTo: folder });
  writeFileSync(stamp, wanted);
}

function digest(): string {
  const hash = createHash('sha256').update(KUBERNETES).update(HELM);
  for (const file of globSync('**/{go.mod,go.sum,*.go}', { cwd: sources }).toSorted())
    hash.update(readFileSync(join(sources, file)));
  return hash.digest('hex');
}
