/** `npm run e2e -- cluster`: runs all tests with the API server of a cluster, in full. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildPrograms } from './kube-programs.ts';

const FOLDER = join(import.meta.dirname, '..');
const FILES = ['cluster-restarts.e2e.ts', 'kube-apiserver.e2e.ts', 'kube-apiserver-start.e2e.ts'];
const RESTARTS = '20';

/** Resolves with the exit code. `only` is a part of the names of tests. Empty means all. */
export async function runClusterSuite(only: string): Promise<number> {
  process.stderr.write('building kube-apiserver and etcd if necessary; the first time takes 20 minutes\n');
  await buildPrograms();
  const words = ['--test', '--test-concurrency=1', '--disable-warning=ExperimentalWarning'];
  const names = only === '' ? [] : [`--test-name-pattern=${only}`];
  const files = FILES.map((file) => join(FOLDER, file));
  const child = spawn(process.execPath, [...words, ...names, ...files], {
    stdio: 'inherit',
    env: { ...process.env, CLUSTER_RESTARTS: RESTARTS },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
