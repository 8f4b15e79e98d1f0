/** Power of a machine with AMT (DSP1027, and Intel AMT SDK, "Get System Power State", "Change System Power State"). */
import type { Member, WsmanOperation } from '../envelope.ts';
import { managedSystem } from './classes.ts';

/** `CIM_AssociatedPowerManagementService.PowerState`. Other values: sleeping or in a transition. */
export type AmtPower = 'on' | 'off' | 'sleeping' | 'unknown';

const STATES: Readonly<Record<string, AmtPower>> = {
  2: 'on',
  3: 'sleeping', // S1 or S2
  4: 'sleeping', // S3
  6: 'off', // hard
  7: 'off', // S4: the image is on the disk
  8: 'off', // soft
  13: 'off',
};

export function amtPowerOf(powerState: string | undefined): AmtPower {
  return STATES[powerState ?? ''] ?? 'unknown';
}

/**
 * The values of `RequestPowerStateChange`. Graceful ones need Intel's agent in the operating system, and a machine without it returns
 * an error.
 */
const REQUESTS = { on: 2, cycle: 5, off: 8, reset: 10, soft: 12 } as const;
export type AmtPowerRequest = keyof typeof REQUESTS;

/** The call of `CIM_PowerManagementService`. */
export function powerRequest(request: AmtPowerRequest): WsmanOperation {
  const members: readonly Member[] = [
    { name: 'PowerState', value: String(REQUESTS[request]) },
    { name: 'ManagedElement', value: managedSystem },
  ];
  return { kind: 'invoke', method: 'RequestPowerStateChange', members };
}

/** Return values of methods (Intel AMT SDK, "PT_STATUS" and DSP1027). */
const RETURNS: Readonly<Record<number, string>> = {
  1: 'internal error or not supported',
  2: 'not ready',
  3: 'not possible in this power state',
  4: 'failed',
  5: 'invalid parameter',
  16: 'not permitted',
  36: 'not supported by this firmware',
  4096: 'started as a job',
};

export function describeReturn(value: number): string {
  return RETURNS[value] ?? `return value ${value}`;
}
