/** Runs operations on the BMC of one machine, as a Job that the server carries out. */
import {
  apiVersionOf,
  bmcJobKind,
  bmcTaskKind,
  isOfKind,
  type BmcAction,
  type BmcJob,
  type BmcTask,
} from '@tinkerbell/resources';
import type { Session } from '../client/session.ts';
import { limitedTo } from '../client/time-limit.ts';
import { InterruptedFailure } from '../failure.ts';
import { statesOf } from '../wait/wait-objects.ts';
import type { ChosenMachine } from './chosen-machines.ts';

export interface WantedJob {
  /** The start of the Job's name: `power-off`. */
  readonly word: string;
  readonly tasks: readonly BmcAction[];
  readonly timeoutSeconds: number;
}

export interface JobOutcome {
  readonly ok: boolean;
  /** Why it failed, or what the last Task reports. May be empty. */
  readonly message: string;
}

const SUFFIX_BYTES = 4;

/** Resolves when the Job has ended. A completed Job is removed, and a failed one stays with its Tasks. */
export async function runJob(
  session: Session,
  { hardware, bmc }: ChosenMachine,
  { word, tasks, timeoutSeconds }: WantedJob,
): Promise<JobOutcome> {
  const { namespace } = session;
  const suffix = session.terminal.random.bytes(SUFFIX_BYTES).toHex();
  const name = `${word}-${hardware.metadata.name}`.slice(0, 200) + `-${suffix}`;
  const job = await session.client.create(bmcJobKind, {
    apiVersion: apiVersionOf(bmcJobKind),
    kind: bmcJobKind.kind,
    metadata: { name, namespace },
    spec: { machineRef: { name: bmc, namespace }, tasks: [...tasks] },
  });
  const ended = await endOf(session, job, timeoutSeconds);
  if (ended === undefined)
    return { ok: false, message: `job/${name} has not ended within ${timeoutSeconds} s` };
  const failure = messageOf(ended, 'Failed');
  if (failure !== undefined) return { ok: false, message: failure };
  const last = await session.client.find({
    kind: bmcTaskKind,
    namespace,
    name: `${name}-task-${tasks.length - 1}`,
  });
  await session.client.remove({ kind: bmcJobKind, namespace, name }, { cascade: 'Background' });
  return { ok: true, message: messageOf(last, 'Completed') ?? '' };
}

/** Undefined after the time limit, or when the Job was deleted. */
async function endOf(session: Session, job: BmcJob, timeoutSeconds: number): Promise<BmcJob | undefined> {
  using limit = limitedTo(timeoutSeconds, session);
  const target = { kind: bmcJobKind, namespace: session.namespace, name: job.metadata.name };
  try {
    for await (const state of statesOf(limit.session, target, job)) {
      if (state === undefined) return undefined;
      if (isOfKind(state, bmcJobKind) && hasEnded(state)) return state;
    }
  } catch (thrown) {
    if (!limit.signal.aborted) throw thrown;
  }
  if (session.terminal.signal.aborted) throw new InterruptedFailure();
  return undefined;
}

function hasEnded(job: BmcJob): boolean {
  return messageOf(job, 'Completed') !== undefined || messageOf(job, 'Failed') !== undefined;
}

/** Undefined when the condition does not hold. */
function messageOf(object: BmcJob | BmcTask | undefined, type: string): string | undefined {
  const found = object?.status?.conditions?.find((one) => one.type === type && one.status === 'True');
  return found === undefined ? undefined : (found.message ?? '');
}
