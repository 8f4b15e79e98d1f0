/** kube-apiserver and etcd in the versions of test/kube-apiserver/go.mod, built by Go into the cache. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface KubePrograms {
  readonly etcd: string;
  readonly apiServer: string;
}

const MODULE = join(import.meta.dirname, '../../kube-apiserver');
const CACHE = join(import.meta.dirname, '../../../.cache');
const PACKAGES = ['go.etcd.io/etcd/server/v3', 'k8s.io/kubernetes/cmd/kube-apiserver'];
const GO_PLACES = ['go', '/usr/local/go/bin/go'];
/** The first build compiles a few thousand packages, which takes about 20 minutes on two busy cores. */
const BUILD_MS_MAX = 60 * 60_000;

/** Undefined when they have not been built. */
export function builtPrograms(): KubePrograms | undefined {
  const folder = folderOf();
  const programs = { etcd: join(folder, 'server'), apiServer: join(folder, 'kube-apiserver') };
  return existsSync(programs.etcd) && existsSync(programs.apiServer) ? programs : undefined;
}

/** Returns why tests with a real API server cannot run, or undefined when they can. */
export function kubeProgramsAreMissing(): string | undefined {
  if (builtPrograms() !== undefined) return undefined;
  return 'kube-apiserver is not built; npm run e2e -- cluster builds it, and needs Go 1.26';
}

/** Builds what is not built yet. @throws Error when Go is missing, or with its output. */
export async function buildPrograms(): Promise<KubePrograms> {
  const found = builtPrograms();
  if (found !== undefined) return found;
  const go = await installedGo();
  const folder = folderOf();
  // An incomplete build must not count as complete.
  const building = `${folder}.building`;
  mkdirSync(building, { recursive: true });
  const version = `v${/k8s\.io\/kubernetes v(\S+)/.exec(moduleText())?.[1] ?? '0.0.0'}`;
  const [major = '', minor = ''] = version.slice(1).split('.');
  const set = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`;
  const versions = [set('gitVersion', version), set('gitMajor', major), set('gitMinor', minor)];
  const words = ['build', '-p', '2', '-trimpath', '-ldflags', `-s -w ${versions.join(' ')}`];
  const environment = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' };
  await promisify(execFile)('nice', ['-n', '19', go, ...words, '-o', `${building}/`, ...PACKAGES], {
    cwd: MODULE,
    env: environment,
    timeout: BUILD_MS_MAX,
    maxBuffer: 16 * 1024 * 1024,
  });
  renameSync(building, folder);
  return buildPrograms();
}

async function installedGo(): Promise<string> {
  for (const go of GO_PLACES) {
    const asked = await promisify(execFile)(go, ['version']).catch(() => undefined);
    if (asked !== undefined) return go;
  }
  throw new Error('go is not installed: https://go.dev/dl, or apt-get install golang');
}

/** Returns a separate folder for each set of versions. */
function folderOf(): string {
  const hash = createHash('sha256').update(moduleText()).digest('hex').slice(0, 12);
  return join(CACHE, `kube-apiserver-${hash}`);
}

function moduleText(): string {
  return readFileSync(join(MODULE, 'go.mod'), 'utf8');
}
