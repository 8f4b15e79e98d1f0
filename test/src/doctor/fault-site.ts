/** A network in which machines boot with faults, and what the doctor must say about each. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHook, withCacheLock } from '@tinkerbell/hook';
import { enterPrivateNetwork, fetchIpxeBinaries } from '@tinkerbell/sandbox';
import { cacheDirectory } from '../bare-machine.ts';
import { bootWithFault } from './diagnose-boot.ts';
import { faults, type Fault } from './faults.ts';

/** The limit by the server's own clock, from the stand-still to the verdict. */
const VERDICT_MS = 60_000;

export interface FaultSite extends AsyncDisposable {
  /** Boots a machine. Rejects if the doctor says nothing, or something else, or too late. */
  check(fault: Fault): Promise<void>;
}

export async function openFaultSite(): Promise<FaultSite> {
  await using opening = new AsyncDisposableStack();
  const hookDirectory = join(cacheDirectory, 'test', 'hook-firmware');
  const ipxe = await withCacheLock(cacheDirectory, async () => {
    await buildHook({ outputDirectory: hookDirectory, cacheDirectory, release: false });
    return fetchIpxeBinaries(cacheDirectory);
  });
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'doctor-'));
  opening.defer(() => rm(directory, { recursive: true, force: true }));
  const network = await enterPrivateNetwork('10.251.0.1');
  const cleanup = opening.move();
  return {
    async check(fault) {
      const index = faults.indexOf(fault) + 1;
      const own = join(directory, String(index));
      await mkdir(own);
      const files = { hookDirectory, ipxeDirectory: ipxe.directory };
      checkResult(fault, await bootWithFault({ fault, index, network, files, directory: own }));
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

function checkResult(
  fault: Fault,
  { diagnosis, hardware, timeline, report }: Awaited<ReturnType<typeof bootWithFault>>,
): void {
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
}
