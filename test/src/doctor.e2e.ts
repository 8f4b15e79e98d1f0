/** Injects faults into boots of real firmware. The doctor must find each by itself, and nothing in a healthy boot. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildHook, withCacheLock } from '@tinkerbell/hook';
import { enterPrivateNetwork, fetchIpxeBinaries, type PrivateNetwork } from '@tinkerbell/sandbox';
import { cacheDirectory } from './bare-machine.ts';
import { bootWithFault, type FaultResult } from './doctor/diagnose-boot.ts';
import { faults, type Fault } from './doctor/faults.ts';
import type { BootFiles } from './firmware/boot.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';
/** The limit by the server's own clock, from the stand-still to the verdict. */
const VERDICT_MS = 60_000;

describe('the doctor', { concurrency: 2 }, () => {
  const cleanup = new AsyncDisposableStack();
  let network: PrivateNetwork;
  let files: BootFiles;
  let directory: string;

  before(async () => {
    if (skip !== false) return;
    const hookDirectory = join(cacheDirectory, 'test', 'hook-firmware');
    const ipxe = await withCacheLock(cacheDirectory, async () => {
      await buildHook({ outputDirectory: hookDirectory, cacheDirectory, release: false });
      return fetchIpxeBinaries(cacheDirectory);
    });
    files = { hookDirectory, ipxeDirectory: ipxe.directory };
    await mkdir(join(cacheDirectory, 'test'), { recursive: true });
    directory = await mkdtemp(join(cacheDirectory, 'test', 'doctor-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    network = await enterPrivateNetwork('10.251.0.1');
  });
  after(() => cleanup.disposeAsync());

  async function booted(fault: Fault, index: number): Promise<FaultResult> {
    const own = join(directory, String(index));
    await mkdir(own);
    return bootWithFault({ fault, index, network, files, directory: own });
  }

  faults.forEach((fault, at) =>
    test(`${fault.cause ?? 'finds nothing'}: ${fault.name}`, { skip }, async () => {
      const { diagnosis, hardware, timeline, report } = await booted(fault, at + 1);
      assert.equal(diagnosis.cause, fault.cause, report);
      const stops = timeline.filter(({ event }) => event === 'boot-stopped');
      if (fault.cause === undefined) return assert.deepEqual(stops, [], report);
      assert.ok(diagnosis.evidence.length > 0);
      const { status } = hardware as { status?: { conditions?: { type: string; status: string }[] } };
      const condition = status?.conditions?.find(({ type }) => type === 'BootHealthy');
      assert.equal(condition?.status ?? 'False', 'False', report);
      // The first cause that was reported is the right one, in time.
      const [stop] = stops;
      if (stop === undefined) return;
      assert.equal(stop.details?.['cause'], fault.cause, report);
      assert.ok(stop.atMs - Date.parse(diagnosis.since ?? '') <= VERDICT_MS, report);
    }),
  );
});
