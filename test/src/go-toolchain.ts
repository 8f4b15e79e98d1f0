/** Go, where it is installed, and programs that it builds from public modules. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { withCacheLock } from '@tinkerbell/hook';
import { kubectlCache } from './installed-kubectl.ts';

const run = promisify(execFile);
const NO_PROXY = 'the Go module proxy is out of reach';

export function goProgram(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/local/go/bin'];
  return folders.map((one) => join(one, 'go')).find((path) => existsSync(path));
}

/** Builds with the lowest priority, because tests that run meanwhile need the processors. */
export async function runGo(
  go: string,
  words: readonly string[],
  { cwd, installTo }: { readonly cwd: string; readonly installTo?: string },
): Promise<string> {
  const env = { ...process.env, ...(installTo === undefined ? {} : { GOBIN: installTo }) };
  const { stdout } = await run('nice', ['-n', '19', go, ...words], { cwd, env });
  return stdout;
}

/** Whether `runGo` failed because no module could be downloaded. */
export function isProxyUnreachable(thrown: unknown): boolean {
  const text = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr) : '';
  return /dial tcp|no such host|connection refused|i\/o timeout|TLS handshake/.test(text);
}

export type GoInstalled = { readonly path: string; readonly skip: false } | { readonly skip: string };

/** A program by its package and version, such as `example.org/tool/cmd/tool@v1.0.0`, built once. */
export async function installedByGo(packageAtVersion: string): Promise<GoInstalled> {
  const go = goProgram();
  const [path = '', version = ''] = packageAtVersion.split('@');
  if (go === undefined) return { skip: `Go is not installed: ${basename(path)} cannot be built` };
  const folder = join(kubectlCache, 'go-programs', `${basename(path)}-${version}`);
  const program = join(folder, basename(path));
  try {
    await withCacheLock(kubectlCache, async () => {
      if (existsSync(program)) return;
      mkdirSync(folder, { recursive: true });
      await runGo(go, ['install', packageAtVersion], { cwd: folder, installTo: folder });
    });
  } catch (thrown) {
    if (isProxyUnreachable(thrown)) return { skip: NO_PROXY };
    throw thrown;
  }
  return { path: program, skip: false };
}

export type GoDownloaded = { readonly folder: string; readonly skip: false } | { readonly skip: string };

/** The sources of a module by its version. */
export async function downloadedByGo(moduleAtVersion: string): Promise<GoDownloaded> {
  const go = goProgram();
  if (go === undefined) return { skip: `Go is not installed: ${moduleAtVersion} cannot be downloaded` };
  try {
    const text = await runGo(go, ['mod', 'download', '-json', moduleAtVersion], { cwd: tmpdir() });
    const { Dir: folder } = JSON.parse(text) as { readonly Dir: string };
    return { folder, skip: false };
  } catch (thrown) {
    if (isProxyUnreachable(thrown)) return { skip: NO_PROXY };
    throw thrown;
  }
}
