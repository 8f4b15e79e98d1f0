/** Boots many machines, a few at a time, each in its own networks. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHook, buildIso, withCacheLock } from '@tinkerbell/hook';
import { eachAtOnce } from '@tinkerbell/platform-contract';
import { enterPrivateNetwork, fetchIpxeBinaries, isArm, type PrivateNetwork } from '@tinkerbell/sandbox';

import { findsNothing, work } from '../doctor/healthy-boots.ts';
import { bootToAgent, type BootFiles } from './boot.ts';
import { nameOf, type BootCase } from './cases.ts';

const repository = join(import.meta.dirname, '../../..');
const cacheDirectory = join(repository, '.cache');

export interface CaseResult {
  readonly name: string;
  readonly seconds: number;
  /** Absent: the agent was reached, and the doctor has found nothing until then. */
  readonly error?: string;
  /** Why the machine was reset. Absent: it was not. */
  readonly standstill?: string;
}

export interface MatrixOptions {
  readonly cases: readonly BootCase[];
  /** The number of machines at once. Each takes a core and 1 GiB. */
  readonly concurrency: number;
  readonly onResult: (result: CaseResult) => void;
}

export async function runMatrix({
  cases,
  concurrency,
  onResult,
}: MatrixOptions): Promise<readonly CaseResult[]> {
  await using cleanup = new AsyncDisposableStack();
  const boot = await openMatrix(cases, cleanup);
  const results: CaseResult[] = [];
  await eachAtOnce(cases, concurrency, async (bootCase) => {
    const result = await boot(bootCase);
    results.push(result);
    onResult(result);
  });
  return results;
}

/**
 * Fetches and builds what the cases need, and moves this process into a private network. Returns a function
 * that boots one.
 */
export async function openMatrix(
  cases: readonly BootCase[],
  cleanup: AsyncDisposableStack,
): Promise<(bootCase: BootCase) => Promise<CaseResult>> {
  const files = await prepareFiles(cases);
  const parent = join(cacheDirectory, 'test');
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'firmware-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const network = await enterPrivateNetwork('10.251.0.1');
  let boots = 0;
  return async (bootCase) => {
    boots += 1;
    const index = boots;
    const own = join(directory, String(index));
    await mkdir(own);
    const result = await tryBoot(bootCase, { index, network, files, directory: own });
    await rm(own, { recursive: true, force: true });
    return result;
  };
}

async function tryBoot(
  bootCase: BootCase,
  place: {
    readonly index: number;
    readonly network: PrivateNetwork;
    readonly files: BootFiles;
    readonly directory: string;
  },
): Promise<CaseResult> {
  const name = nameOf(bootCase);
  const startedMs = performance.now();
  let reset: Pick<CaseResult, 'standstill'> = {};
  const onStandstill = (standstill: string): void => {
    reset = { standstill };
  };
  try {
    const { seconds } = await bootToAgent({
      bootCase,
      ...place,
      work,
      onStandstill,
      // The doctor is right about a machine that hung.
      onReached: async (boot) => (reset.standstill === undefined ? findsNothing(boot) : undefined),
    });
    return { name, seconds, ...reset };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    return { name, seconds: (performance.now() - startedMs) / 1000, error, ...reset };
  }
}

/** Prepares the files that have to be fetched or built while there is a network. */
export async function prepareFiles(cases: readonly BootCase[]): Promise<BootFiles> {
  const hookDirectory = join(cacheDirectory, 'test', 'hook-firmware');
  const needsArm = cases.some(({ loader }) => isArm(loader.firmware));
  const images = new Set(
    cases
      .filter(({ loader }) => loader.isIso === true)
      .map(({ loader }) => (isArm(loader.firmware) ? 'aarch64' : 'x86_64')),
  );
  const ipxe = await withCacheLock(cacheDirectory, async () => {
    const common = { outputDirectory: hookDirectory, cacheDirectory, release: false } as const;
    await buildHook(common);
    if (needsArm) await buildHook({ ...common, architecture: 'aarch64' });
    for (const architecture of images)
      await buildIso({ architecture, directory: hookDirectory, cacheDirectory });
    return fetchIpxeBinaries(cacheDirectory);
  });
  return { hookDirectory, ipxeDirectory: ipxe.directory };
}
