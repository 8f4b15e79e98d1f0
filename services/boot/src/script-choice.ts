import {
  bootsUnknownMachine,
  reservationFor,
  scriptFor,
  staticScriptFor,
  type Reservation,
  type ReservationResult,
  type ScriptDecision,
} from '@tinkerbell/netboot';
import type { View } from '@tinkerbell/store-contract';
import type { Mac } from '@tinkerbell/wire';
import type { BootConfig } from './config.ts';
import { hasWorkToDo, unknownHasWorkToDo } from './machine-state.ts';

export interface Unusable {
  readonly kind: 'unusable';
  readonly reason: string;
  readonly message: string;
}

const UNKNOWN: ReservationResult = {
  ok: false,
  reason: 'no-hardware',
  message: 'no Hardware has this address',
};

/** Chooses the script of a machine; undefined is a client of unknown MAC and address. */
export function createScriptChoice(
  view: View,
  { hook, netboot }: Pick<BootConfig, 'hook' | 'netboot'>,
): (mac: Mac | undefined) => ScriptDecision | Unusable {
  const settings = { hook, bootLocalWhenIdle: netboot.bootLocalWhenIdle };
  // A reservation is the same object for as long as its Hardware does not change, and so is its script.
  const scriptsAtWork = new WeakMap<Reservation, ScriptDecision>();
  const scriptsWhenIdle = new WeakMap<Reservation, ScriptDecision>();

  function known(reservation: Reservation, isAtWork: boolean): ScriptDecision {
    const cache = isAtWork ? scriptsAtWork : scriptsWhenIdle;
    const cached = cache.get(reservation);
    if (cached !== undefined) return cached;
    const decision = scriptFor({ reservation, machineState: { hasWorkToDo: isAtWork }, settings });
    cache.set(reservation, decision);
    return decision;
  }

  return (mac) => {
    const reservation = mac === undefined ? UNKNOWN : reservationFor(view.hardwareByMac(mac), mac);
    if (reservation.ok) return known(reservation.value, hasWorkToDo(view, reservation.value));
    if (bootsUnknownMachine(reservation, netboot)) {
      return staticScriptFor({ machineState: { hasWorkToDo: unknownHasWorkToDo(view, mac) }, settings });
    }
    return { kind: 'unusable', reason: reservation.reason, message: reservation.message };
  };
}
