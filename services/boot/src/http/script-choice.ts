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
import type { BootTokens } from '../boot-tokens.ts';
import type { BootConfig } from '../config.ts';
import { hasWorkToDo, unknownHasWorkToDo } from '../machine-state.ts';

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
  // A reservation is the same object while its Hardware does not change, and so is its script.
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

  function withToken(decision: ScriptDecision, reservation: Reservation, clientAddress: string) {
    if (tokens === undefined || decision.kind !== 'script' || decision.name !== 'hook') return decision;
    const token = tokens.tokenFor(reservation, clientAddress);
    return { ...decision, text: decision.text.replace(TOKEN_PLACE, token) };
  }

  return (mac, clientAddress, isForAll = false) => {
    const reservation = mac === undefined ? UNKNOWN : reservationFor(view.hardwareByMac(mac), mac);
    if (reservation.ok) {
      const { value } = reservation;
      return withToken(known(value, hasWorkToDo(view, value)), value, clientAddress);
    }
    if (bootsUnknownMachine(reservation, netboot)) {
      return staticScriptFor({ machineState: { hasWorkToDo: unknownHasWorkToDo(view, mac) }, settings });
    }
    if (isForAll && reservation.reason === 'no-hardware')
      return staticScriptFor({ machineState: { hasWorkToDo: true }, settings });
    return { kind: 'unusable', reason: reservation.reason, message: reservation.message };
  };
}
