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

/** Erases the disk, which takes a moment and succeeds. */
export const work: ApiObject = { ...template, spec: { data: templateData(ERASE) } };

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

const staysHealthy = (boot: ReachedBoot): Promise<void> =>
  untilFound(boot, { states: ['healthy'], polls: HEALTHY_POLLS });

/** Resolves when the doctor says that the agent works. Rejects if it has found something before. */
export const findsNothing = (boot: ReachedBoot): Promise<void> =>
  untilFound(boot, { states: ['working', 'healthy'], polls: 1 });

interface Wanted {
  readonly states: readonly string[];
  /** How often the machine must be in one of them. */
  readonly polls: number;
}

async function untilFound({ server, hardware, machine }: ReachedBoot, wanted: Wanted): Promise<void> {
  const end = AbortSignal.timeout(LIMIT_MS);
  for (let found = 0; found < wanted.polls;) {
    const timeline = await timelineOf(server, { hardware });
    const stop = timeline.find(({ event }) => event === 'boot-stopped');
    if (stop !== undefined) throw new FalseVerdict(String(stop.details?.['cause']), timeline);
    const diagnosis = await diagnosisOf(server, hardware);
    if (diagnosis !== undefined && wanted.states.includes(diagnosis.state)) found += 1;
    if (end.aborted)
      throw new Error([JSON.stringify(diagnosis), ...machine.serial.tail(30), ...server.tail()].join('\n'));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
