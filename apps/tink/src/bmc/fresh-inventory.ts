/** Asks the server to read the parts of a machine from its BMC, and waits until it has. */
import { INVENTORY_CONDITION } from '@tinkerbell/bmc';
import {
  bmcMachineKind,
  hardwareKind,
  isOfKind,
  type BmcMachine,
  type OutOfBandAttributes,
} from '@tinkerbell/resources';
import type { ObjectName } from '../client/client.ts';
import { limitedTo } from '../client/time-limit.ts';
import type { Session } from '../client/session.ts';
import { InterruptedFailure, TinkFailure } from '../failure.ts';
import { statesOf } from '../wait/wait-objects.ts';
import type { ChosenMachine } from './chosen-machines.ts';

/** The server removes it when it has read the parts. */
const REFRESH = 'tinkerbell.org/refresh-inventory';

/** Throws a TinkFailure with what the server says about the BMC, or after the time limit. */
export async function freshInventory(
  session: Session,
  { hardware, bmc }: ChosenMachine,
  timeoutSeconds: number,
): Promise<OutOfBandAttributes> {
  const { namespace, name } = hardware.metadata;
  const target = { kind: bmcMachineKind, namespace, name: bmc };
  const body = { metadata: { annotations: { [REFRESH]: 'now' } } };
  const asked = await session.client.patch(target, { type: 'merge', body });
  const answered = await answerTo(session, { target, asked }, timeoutSeconds);
  if (answered === undefined)
    throw new TinkFailure(`machine/${bmc}: its parts were not read within ${timeoutSeconds} s`, {
      advice: 'check that a server runs with --enable-rufio-controller and collects inventories',
    });
  const result = answered.status?.conditions?.find(({ type }) => type === INVENTORY_CONDITION);
  if (result?.status === 'False') throw new TinkFailure(`machine/${bmc}: ${result.message ?? ''}`);
  const read = await session.client.get({ kind: hardwareKind, namespace, name });
  return read.status?.attributes?.outOfBand ?? {};
}

interface Request {
  readonly target: ObjectName<BmcMachine>;
  readonly asked: BmcMachine;
}

/** Returns the Machine when the server has removed the annotation. Undefined after the time limit. */
async function answerTo(
  session: Session,
  { target, asked }: Request,
  timeoutSeconds: number,
): Promise<BmcMachine | undefined> {
  using limit = limitedTo(timeoutSeconds, session);
  try {
    for await (const state of statesOf(limit.session, target, asked)) {
      if (state === undefined || !isOfKind(state, bmcMachineKind)) break;
      if (state.metadata.annotations?.[REFRESH] === undefined) return state;
    }
  } catch (thrown) {
    if (!limit.signal.aborted) throw thrown;
  }
  if (session.terminal.signal.aborted) throw new InterruptedFailure();
  return undefined;
}
