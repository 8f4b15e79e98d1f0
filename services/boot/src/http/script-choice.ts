import {
  bootsUnknownMachine,
  reservationFor,
  scriptFor,
  staticScriptFor,
  type Reservation,
  type ReservationResult,
  type ScriptDecision,
} from '@tinkerbell/netboot';
import type { Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import type { Mac } from '@tinkerbell/wire';
import type { BootTokens } from '../boot-tokens.ts';
import type { BootConfig } from '../config.ts';
import { hasWorkToDo, unknownHasWorkToDo } from '../machine-state.ts';

export interface Unusable {
  readonly kind: 'unusable';
  readonly reason: string;
  readonly message: string;
}

type Refusal = Extract<ReservationResult, { readonly ok: false }>;

/**
 * A network interface of a Hardware, with its scripts once they are rendered. It is found by the Hardware itself, which never changes: another
 * version is another object. All in one place, because ten thousand machines do not fit the caches of the processor, and each place is a wait.
 */
interface Machine {
  readonly ok: true;
  readonly mac: Mac;
  readonly reservation: Reservation;
  atWork: KeptScript | undefined;
  whenIdle: KeptScript | undefined;
}

/** The text around the place of the token. The second part is undefined if there is no token in this script. */
interface KeptScript {
  readonly decision: ScriptDecision;
  readonly beforeToken: string;
  readonly afterToken: string | undefined;
}

const UNKNOWN: Refusal = {
  ok: false,
  reason: 'no-hardware',
  message: 'no Hardware has this address',
};

/** A placeholder in the cached script. Each rendering replaces it with another token. */
const TOKEN_PLACE = '__boot_token__';

/**
 * Chooses the script of a machine for a requester's address. Undefined is a client of unknown MAC and address. A machine without
 * Hardware is `unusable` unless the mode boots it; `isForAll` gives it the script that is the same for every machine.
 */
export function createScriptChoice(
  view: View,
  { hook, netboot }: Pick<BootConfig, 'hook' | 'netboot'>,
  tokens?: BootTokens,
): (mac: Mac | undefined, clientAddress: string, isForAll?: boolean) => ScriptDecision | Unusable {
  const settings = {
    hook: tokens === undefined ? hook : { ...hook, bootToken: TOKEN_PLACE },
    bootLocalWhenIdle: netboot.bootLocalWhenIdle,
  };
  const machines = new WeakMap<Hardware, Machine>();

  function machineOf(hardware: readonly Hardware[], mac: Mac): Machine | Refusal {
    const [only] = hardware;
    // A Hardware may have been known before another one claimed the same MAC.
    const known = only === undefined || hardware.length > 1 ? undefined : machines.get(only);
    if (known?.mac === mac) return known;
    const result = reservationFor(hardware, mac);
    if (!result.ok) return result;
    const machine: Machine = {
      ok: true,
      mac,
      reservation: result.value,
      atWork: undefined,
      whenIdle: undefined,
    };
    if (only !== undefined) machines.set(only, machine);
    return machine;
  }

  function scriptOf(machine: Machine): KeptScript {
    const { reservation } = machine;
    const isAtWork = hasWorkToDo(view, reservation);
    const state = isAtWork ? 'atWork' : 'whenIdle';
    machine[state] ??= keptScript(
      scriptFor({ reservation, machineState: { hasWorkToDo: isAtWork }, settings }),
    );
    return machine[state];
  }

  function answerFor(machine: Machine, clientAddress: string): ScriptDecision {
    const { decision, beforeToken, afterToken } = scriptOf(machine);
    if (tokens === undefined || afterToken === undefined) return decision;
    const token = tokens.tokenFor(machine.reservation, clientAddress);
    return { kind: 'script', name: 'hook', text: beforeToken + token + afterToken };
  }

  return (mac, clientAddress, isForAll = false) => {
    const machine = mac === undefined ? UNKNOWN : machineOf(view.hardwareByMac(mac), mac);
    if (machine.ok) return answerFor(machine, clientAddress);
    if (bootsUnknownMachine(machine, netboot)) {
      return staticScriptFor({ machineState: { hasWorkToDo: unknownHasWorkToDo(view, mac) }, settings });
    }
    if (isForAll && machine.reason === 'no-hardware')
      return staticScriptFor({ machineState: { hasWorkToDo: true }, settings });
    return { kind: 'unusable', reason: machine.reason, message: machine.message };
  };
}

function keptScript(decision: ScriptDecision): KeptScript {
  const text = decision.kind === 'script' && decision.name === 'hook' ? decision.text : '';
  const at = text.indexOf(TOKEN_PLACE);
  if (at < 0) return { decision, beforeToken: '', afterToken: undefined };
  return { decision, beforeToken: text.slice(0, at), afterToken: text.slice(at + TOKEN_PLACE.length) };
}
