/** The parsers of Ignition and of Talos, which Go builds from their own modules into `.cache`: test/vendor-parsers. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCacheLock } from '@tinkerbell/hook';
import { goProgram, isProxyUnreachable, runGo } from '../go-toolchain.ts';
import { kubectlCache } from '../installed-kubectl.ts';

const SOURCES = join(import.meta.dirname, '../../vendor-parsers');
const FOLDER = join(kubectlCache, 'vendor-parsers');

export type GoParsers =
  | { readonly path: (name: 'ignition' | 'talos') => string; readonly skip: false }
  | { readonly skip: string };

/** Builds them once. Rejects when they do not compile. */
export async function goParsers(): Promise<GoParsers> {
  const go = goProgram();
  if (go === undefined)
    return { skip: 'Go is not installed: the parsers of Ignition and Talos cannot be built' };
  try {
    await withCacheLock(kubectlCache, () => build(go));
  } catch (thrown) {
    if (isUnavailable(thrown)) return { skip: 'the modules of Ignition and Talos are not available' };
    throw thrown;
  }
  return { path: (name) => join(FOLDER, name), skip: false };
}

/** A proxy of Go modules may not have these. */
function isUnavailable(thrown: unknown): boolean {
  const text = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr) : '';
  return isProxyUnreachable(thrown) || /(403 Forbidden|404 Not Found|410 Gone)/.test(text);
}

async function build(go: string): Promise<void> {
  const stamp = join(FOLDER, 'built');
  const wanted = digest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(FOLDER, { recursive: true });
  const flags = ['-p', '1', '-trimpath', '-ldflags', '-s -w'];
  await runGo(go, ['build', ...flags, '-o', `${FOLDER}/`, './ignition', './talos'], { cwd: SOURCES });
  writeFileSync(stamp, wanted);
}

function digest(): string {
  const hash = createHash('sha256');
  for (const file of globSync('**/{go.mod,go.sum,*.go}', { cwd: SOURCES }).toSorted())
    hash.update(readFileSync(join(SOURCES, file)));
  return hash.digest('hex');
}
