/** Asks the server for an operation on a BMC by an annotation of its Machine, and waits until it has removed the annotation. */
import { bmcMachineKind, isOfKind, type BmcMachine } from '@tinkerbell/resources';
import type { ObjectName } from '../client/client.ts';
import { limitedTo } from '../client/time-limit.ts';
import type { Session } from '../client/session.ts';
import { InterruptedFailure, TinkFailure } from '../failure.ts';
import { statesOf } from '../wait/wait-objects.ts';
import type { ChosenMachine } from './chosen-machines.ts';

export interface BmcWish {
  readonly annotation: string;
  /** The condition of the Machine that has the result. */
  readonly condition: string;
  /** For the message: `its parts were not read`. */
  readonly notDone: string;
  readonly timeoutSeconds: number;
}

/** Throws a TinkFailure with what the server says about the BMC, or after the time limit. */
export async function askServer(
  session: Session,
  { hardware, bmc }: ChosenMachine,
  wish: BmcWish,
): Promise<void> {
  const { annotation, condition, notDone, timeoutSeconds } = wish;
  const target = { kind: bmcMachineKind, namespace: hardware.metadata.namespace, name: bmc };
  const body = { metadata: { annotations: { [annotation]: 'now' } } };
  const asked = await session.client.patch(target, { type: 'merge', body });
  const answered = await answerTo(session, { target, asked }, wish);
  if (answered === undefined)
    throw new TinkFailure(`machine/${bmc}: ${notDone} within ${timeoutSeconds} s`, {
      advice: 'check that a server runs with --enable-rufio-controller',
    });
  const result = answered.status?.conditions?.find(({ type }) => type === condition);
  if (result?.status === 'False') throw new TinkFailure(`machine/${bmc}: ${result.message ?? ''}`);
}

interface Request {
  readonly target: ObjectName<BmcMachine>;
  readonly asked: BmcMachine;
}

/** Returns the Machine without the annotation. Undefined after the time limit. */
async function answerTo(
  session: Session,
  { target, asked }: Request,
  { annotation, timeoutSeconds }: BmcWish,
): Promise<BmcMachine | undefined> {
  using limit = limitedTo(timeoutSeconds, session);
  try {
    for await (const state of statesOf(limit.session, target, asked)) {
      if (state === undefined || !isOfKind(state, bmcMachineKind)) break;
      if (state.metadata.annotations?.[annotation] === undefined) return state;
    }
  } catch (thrown) {
    if (!limit.signal.aborted) throw thrown;
  }
  if (session.terminal.signal.aborted) throw new InterruptedFailure();
  return undefined;
}
