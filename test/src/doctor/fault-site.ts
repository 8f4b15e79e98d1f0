/** A network in which machines boot with faults, and what the doctor must say about each. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@tinkerbell/platform-contract';
import { enterPrivateNetwork } from '@tinkerbell/sandbox';
import { cacheDirectory } from '../bare-machine.ts';
import type { BootCase } from '../firmware/cases.ts';
import { prepareFiles } from '../firmware/run-matrix.ts';
import { bootWithFault, type FaultResult } from './diagnose-boot.ts';
import type { Fault } from './fault.ts';
import { checkHealthy, FalseVerdict, healthyName } from './healthy-boots.ts';
import type { ResultRow } from './results.ts';

/** The limit by the server's own clock, from the stand-still to the verdict. */
const VERDICT_MS = 60_000;
const NOTHING = 'nothing';

export interface CheckedBoot {
  readonly row: ResultRow;
  /** Why it is not right. Absent: it is. */
  readonly error?: string;
}

export interface FaultSite extends AsyncDisposable {
  /** Boots a machine with a fault. It is not right if the doctor says nothing, or something else, or too late. */
  check(fault: Fault): Promise<CheckedBoot>;
  /** Boots a machine without a fault. It is not right if the doctor says something. */
  checkHealthy(bootCase: BootCase): Promise<CheckedBoot>;
}

/** Builds what the healthy boots need, and moves this process into a private network. */
export async function openFaultSite(healthy: readonly BootCase[] = []): Promise<FaultSite> {
  await using opening = new AsyncDisposableStack();
  const files = await prepareFiles(healthy);
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'doctor-'));
  opening.defer(() => rm(directory, { recursive: true, force: true }));
  const network = await enterPrivateNetwork('10.251.0.1');
  const cleanup = opening.move();
  let boots = 0;
  const nextPlace = async () => {
    boots += 1;
    const index = boots;
    const own = join(directory, String(index));
    await mkdir(own);
    return { index, network, files, directory: own };
  };
  return {
    async check(fault) {
      const place = await nextPlace();
      const { name, firmware, cause = NOTHING } = fault;
      const row = { name, firmware, expected: cause };
      try {
        const result = await bootWithFault({ ...place, fault });
        const error = await Promise.try(checkResult, fault, result).then(() => undefined, messageOf);
        const checked = { ...row, found: result.diagnosis?.cause ?? NOTHING, ...secondsOf(result) };
        return { row: checked, ...(error === undefined ? {} : { error }) };
      } catch (thrown) {
        return { row: { ...row, found: 'no boot' }, error: messageOf(thrown) };
      } finally {
        await rm(place.directory, { recursive: true, force: true });
      }
    },
    async checkHealthy(bootCase) {
      const place = await nextPlace();
      const row = { name: healthyName(bootCase), firmware: bootCase.loader.firmware, expected: NOTHING };
      try {
        await checkHealthy(bootCase, place);
        return { row: { ...row, found: NOTHING } };
      } catch (thrown) {
        const found = thrown instanceof FalseVerdict ? thrown.verdict : 'no boot';
        return { row: { ...row, found }, error: messageOf(thrown) };
      } finally {
        await rm(place.directory, { recursive: true, force: true });
      }
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

function secondsOf({ diagnosis, timeline }: FaultResult): Pick<ResultRow, 'seconds'> {
  const stop = timeline.find(({ event }) => event === 'boot-stopped');
  if (stop === undefined || diagnosis?.since === undefined) return {};
  return { seconds: (stop.atMs - Date.parse(diagnosis.since)) / 1000 };
}

function checkResult(fault: Fault, { diagnosis, hardware, timeline, report }: FaultResult): void {
  assert.ok(diagnosis !== undefined, `nothing was found: ${report}`);
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
