/** Boots without a fault, of every firmware: the doctor must find nothing in them, from power-on until the workflow has succeeded. */
import { isArm, type ApiObject, type TimelineRecord } from '@tinkerbell/sandbox';
import { timelineOf } from '../bare-machine.ts';
import { bootToAgent, type BootInput, type ReachedBoot } from '../firmware/boot.ts';
import { firmwareMatrix, isoMatrix, nameOf, type BootCase } from '../firmware/cases.ts';
import { template } from '../firmware/reach-agent.ts';
import { ERASE, templateData } from './fault.ts';
import { diagnosisOf } from './observed-machine.ts';

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

/** The doctor has found a cause in a boot that was successful. */
export class FalseVerdict extends Error {
  readonly verdict: string;

  constructor(verdict: string, timeline: readonly TimelineRecord[]) {
    const lines = timeline.map(
      ({ atMs, source, event, message }) => `${new Date(atMs).toISOString()} ${source} ${event}: ${message}`,
    );
    super([`a false verdict: ${verdict}`, ...lines].join('\n'));
    this.verdict = verdict;
  }
}

async function staysHealthy({ server, hardware, machine }: ReachedBoot): Promise<void> {
  const end = AbortSignal.timeout(LIMIT_MS);
  for (let healthy = 0; healthy < HEALTHY_POLLS;) {
    const timeline = await timelineOf(server, { hardware });
    const stop = timeline.find(({ event }) => event === 'boot-stopped');
    if (stop !== undefined) throw new FalseVerdict(String(stop.details?.['cause']), timeline);
    const diagnosis = await diagnosisOf(server, hardware);
    if (diagnosis?.state === 'healthy') healthy += 1;
    if (end.aborted)
      throw new Error([JSON.stringify(diagnosis), ...machine.serial.tail(30), ...server.tail()].join('\n'));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
