/** Boots without a fault, of every firmware: the doctor must find nothing in them, from power-on until the workflow has succeeded. */
import assert from 'node:assert/strict';
import { isArm, type ApiObject } from '@tinkerbell/sandbox';
import { bootToAgent, type BootInput, type ReachedBoot } from '../firmware/boot.ts';
import { firmwareMatrix, isoMatrix, nameOf, type BootCase } from '../firmware/cases.ts';
import { template } from '../firmware/reach-agent.ts';
import { ERASE, templateData } from './fault.ts';
import { diagnosisOf, timelineOf, type FoundDiagnosis } from './observed-machine.ts';

const POLL_MS = 500;
/** Longer than a problem needs to become a finding. */
const HEALTHY_POLLS = 30;
/** Emulation on a busy machine is slow. This limit only ends tests that hang. */
const LIMIT_MS = 4 * 60_000;

/** Every boot loader directly and through a relay, those of PCs beside another DHCP server as well, and the ISO image. */
export const healthyBoots: readonly BootCase[] = [
  ...firmwareMatrix.filter(({ mode }) => mode === 'reservation'),
  ...firmwareMatrix.filter(
    ({ mode, path, loader }) => mode === 'proxy' && path === 'direct' && !isArm(loader.firmware),
  ),
  ...isoMatrix,
];

export function healthyName(bootCase: BootCase): string {
  return `healthy: ${nameOf(bootCase)}`;
}

const work: ApiObject = { ...template, spec: { data: templateData(ERASE) } };

/** Rejects if the doctor finds something, or the machine does not boot. */
export async function checkHealthy(
  bootCase: BootCase,
  place: Pick<BootInput, 'index' | 'network' | 'files' | 'directory'>,
): Promise<void> {
  await bootToAgent({
    ...place,
    bootCase,
    work,
    onReached: staysHealthy,
    onStandstill: (report) => {
      throw new Error(`the machine hung: ${report}`);
    },
  });
}

async function staysHealthy({ server, hardware, machine }: ReachedBoot): Promise<void> {
  const end = AbortSignal.timeout(LIMIT_MS);
  let diagnosis: FoundDiagnosis | undefined;
  for (let healthy = 0; healthy < HEALTHY_POLLS;) {
    diagnosis = await diagnosisOf(server, hardware);
    assert.notEqual(diagnosis?.state, 'stopped', JSON.stringify(diagnosis));
    if (diagnosis?.state === 'healthy') healthy += 1;
    if (end.aborted)
      throw new Error([JSON.stringify(diagnosis), ...machine.serial.tail(30), ...server.tail()].join('\n'));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const stops = (await timelineOf(server, hardware)).filter(({ event }) => event === 'boot-stopped');
  assert.deepEqual(stops, []);
}
