/** Builds the newest clients of Kubernetes from their Go modules into `.cache`: test/go and helm. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withCacheLock } from '@tinkerbell/hook';
import { kubectlCache } from './installed-kubectl.ts';

const run = promisify(execFile);
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
    const { stderr = '' } = thrown as { stderr?: string };
    if (/dial tcp|no such host|connection refused|i\/o timeout|TLS handshake/.test(stderr))
      return { skip: NO_MODULES };
    throw thrown;
  }
  return { path: (client) => join(folder, client), skip: false };
}

function goProgram(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/local/go/bin'];
  return folders.map((one) => join(one, 'go')).find((path) => existsSync(path));
}

async function build(go: string): Promise<void> {
  const stamp = join(folder, 'built');
  const wanted = digest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(folder, { recursive: true });
  const version = `-X k8s.io/component-base/version.gitVersion=${KUBERNETES}`;
  const flags = ['-p', '1', '-trimpath', '-ldflags', `-s -w ${version}`];
  // Leaves processors for other work.
  const nicely = (words: readonly string[], cwd: string) =>
    run('nice', ['-n', '19', go, ...words], { cwd, env: { ...process.env, GOBIN: folder } });
  await nicely(['build', ...flags, '-o', `${folder}/`, './kubectl', './leader', './marshal'], sources);
  await nicely(['install', ...flags, HELM], folder);
  writeFileSync(stamp, wanted);
}

function digest(): string {
  const hash = createHash('sha256').update(KUBERNETES).update(HELM);
  for (const file of globSync('**/{go.mod,go.sum,*.go}', { cwd: sources }).toSorted())
    hash.update(readFileSync(join(sources, file)));
  return hash.digest('hex');
}
