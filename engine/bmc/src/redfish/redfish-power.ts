import { resetsFor, type PowerOperation, type PowerState } from '@tinkerbell/bmc';
import { delay } from '@tinkerbell/platform-contract';
import { allowedByActionInfo, allowedIn, type RedfishAction } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import { readSystem, type RedfishMachine } from './redfish-machine.ts';

/** Schema Resource, PowerState. A machine that is changing its power has neither state. */
const states: Readonly<Partial<Record<string, PowerState>>> = { On: 'on', Off: 'off', Paused: 'on' };
const LOOK_MS = 500;

export async function readPower(machine: RedfishMachine): Promise<PowerState> {
  const { powerState = '' } = (await readSystem(machine)).system;
  return (Object.hasOwn(states, powerState) ? states[powerState] : undefined) ?? 'unknown';
}

/** Action ComputerSystem.Reset. Rejects with `unsupported` when the service allows no reset that performs the operation. */
export async function setPower(machine: RedfishMachine, operation: PowerOperation): Promise<void> {
  const { reset } = (await readSystem(machine)).system;
  if (reset === undefined) throw new BmcError('unsupported', 'the BMC has no action ComputerSystem.Reset');
  const allowed = await allowedResets(machine, reset);
  const resets = resetsFor(machine.vendor, operation, allowed);
  if (resets === undefined)
    throw new BmcError(
      'unsupported',
      `the BMC has no power ${operation}; it allows ${allowed?.join(', ') ?? ''}`,
    );
  for (const [index, ResetType] of resets.entries()) {
    if (index > 0) await waitUntilOff(machine);
    await machine.connection.change({ method: 'POST', path: reset.target, body: { ResetType } });
  }
}

async function allowedResets(
  { connection }: RedfishMachine,
  { fields, actionInfo }: RedfishAction,
): Promise<readonly string[] | undefined> {
  const listed = allowedIn(fields, 'ResetType');
  if (listed !== undefined || actionInfo === undefined) return listed;
  return allowedByActionInfo((await connection.get(actionInfo)).fields, 'ResetType');
}

/** The first half of a power cycle that the service does not have. */
async function waitUntilOff(machine: RedfishMachine): Promise<void> {
  const { clock, signal, timeoutMs } = machine.connection;
  const endMs = clock.monotonicMs() + timeoutMs;
  while ((await readPower(machine)) !== 'off') {
    if (clock.monotonicMs() >= endMs)
      throw new BmcError('not-applied', `the BMC accepted ForceOff, and is not off after ${timeoutMs} ms`);
    await delay(clock, LOOK_MS, signal);
  }
}
