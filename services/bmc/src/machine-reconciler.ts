/** Checks a Machine: can the BMC be reached, is the power on, and which parts does the machine have. */
import { pinnedConnection, withCondition, type PinnedConnection, type PowerState } from '@tinkerbell/bmc';
import { BmcError, adviceFor } from '@tinkerbell/engine-bmc';
import type { Again } from '@tinkerbell/engine-work-queue';
import type { BmcMachine } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { callBmc } from './call-bmc.ts';
import { machineCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { Subscriptions } from './events/keep-subscription.ts';
import { pinFirstCertificate } from './first-certificate.ts';
import { collectInventory, nextInventoryMs, refuseInventory } from './inventory.ts';
import { rotatePassword } from './rotate-password.ts';
import { ServedMedia } from './served-media.ts';
import { timeOf } from './status-times.ts';
import { recordForMachine } from './timeline.ts';

type MachineStatus = NonNullable<BmcMachine['status']>;

interface Contact {
  readonly powerState: PowerState;
  /** Undefined: the connection has no TLS. */
  readonly certificateSha256?: string | undefined;
  /** Undefined: the BMC answered. */
  readonly failure?: BmcError;
}

/** Checks of a BMC that does not answer begin with this pause, which doubles up to the usual one. */
const RETRY_MS = 60_000;
/** A part of the interval, so that the checks of a thousand BMCs spread out. */
const JITTER = 0.1;

export class MachineReconciler {
  readonly #deps: Reconciling;
  /** Failed checks in a row, by Machine. */
  readonly #failures = new Map<string, number>();
  readonly #subscriptions: Subscriptions;
  readonly #media: ServedMedia;

  constructor(deps: Reconciling) {
    this.#deps = deps;
    this.#media = new ServedMedia(deps);
    this.#subscriptions = new Subscriptions(deps);
  }

  async reconcile(place: NamespacedName): Promise<Again> {
    const path = `${place.namespace}/${place.name}`;
    const machine = (await machineCollection.get(this.#deps.store, place))?.object;
    const connection = machine && pinnedConnection(machine);
    if (
      machine === undefined ||
      connection === undefined ||
      machine.metadata.deletionTimestamp !== undefined
    ) {
      this.#failures.delete(path);
      this.#subscriptions.forget(path);
      await this.#media.end(place);
      return undefined;
    }
    await rotatePassword(this.#deps, machine, connection);
    const contact = await contactOf(this.#deps, connection);
    await this.#show(place, contact);
    if (contact.failure !== undefined) {
      await refuseInventory(this.#deps, machine, textOf(contact.failure));
      return this.#againAfterFailure(path, contact.failure);
    }
    this.#failures.delete(path);
    await pinFirstCertificate(this.#deps, place, contact.certificateSha256);
    const mediaMs = await this.#media.keep(place, machine, connection);
    await this.#subscriptions.keep(machine, connection);
    await collectInventory(this.#deps, machine);
    return { atMs: this.#deps.clock.nowMs() + Math.min(mediaMs, this.#nextMs(machine)) };
  }

  #nextMs(machine: BmcMachine): number {
    const { config, random } = this.#deps;
    const checkMs = config.powerCheckMs * (1 - JITTER * random.fraction());
    return Math.min(checkMs, nextInventoryMs(this.#deps, machine));
  }

  /** A wrong password is not tried again soon, because BMCs lock accounts. */
  #againAfterFailure(path: string, { code }: BmcError): Again {
    const { clock, config, random } = this.#deps;
    const failures = (this.#failures.get(path) ?? 0) + 1;
    this.#failures.set(path, failures);
    const isLogin = code === 'wrong-credentials' || code === 'locked-account';
    const pauseMs = isLogin ? config.powerCheckMs : RETRY_MS * 2 ** (failures - 1);
    const waitMs = Math.min(config.powerCheckMs, pauseMs) * (1 - JITTER * random.fraction());
    return { atMs: clock.nowMs() + waitMs };
  }

  async #show(place: NamespacedName, contact: Contact): Promise<void> {
    const time = timeOf(this.#deps.clock.nowMs());
    const updated = await machineCollection.update<'unchanged'>(this.#deps.store, place, (machine) => {
      const status = statusOf(machine.status ?? {}, contact, time);
      return status === undefined ? { refusal: 'unchanged' } : { object: { ...machine, status } };
    });
    if (updated.ok) this.#record(place, updated, contact);
    else if (updated.kind === 'unavailable') throw new Error(updated.message);
  }

  #record(
    place: NamespacedName,
    { before, after }: { readonly before: BmcMachine; readonly after: BmcMachine },
    { failure, powerState }: Contact,
  ): void {
    if (failure !== undefined) {
      const message = `the BMC does not work: ${textOf(failure)}`;
      recordForMachine(this.#deps, place, { event: 'bmc-failed', message, details: { code: failure.code } });
    } else if (before.status?.powerState !== after.status?.powerState) {
      const message = `the BMC reports that the power is ${powerState}`;
      recordForMachine(this.#deps, place, { event: 'bmc-power-reported', message, details: { powerState } });
    }
  }
}

async function contactOf(deps: Reconciling, connection: PinnedConnection): Promise<Contact> {
  try {
    return await callBmc(deps, connection, {
      kind: 'power-state',
      name: 'read the power state',
      isRepeatable: true,
      run: async (session) => ({
        powerState: await session.powerState(),
        certificateSha256: session.certificateSha256?.(),
      }),
    });
  } catch (thrown) {
    if (!(thrown instanceof BmcError)) throw thrown;
    return { powerState: 'unknown', failure: thrown };
  }
}

/** Undefined when nothing has changed, so that a check writes nothing. */
function statusOf(status: MachineStatus, contact: Contact, now: string): MachineStatus | undefined {
  const old = status.conditions?.find(({ type }) => type === 'Contactable');
  const condition = { ...conditionOf(contact), lastUpdateTime: now };
  const isSameStatus = old?.status === condition.status;
  const isSame = isSameStatus && (old.message ?? '') === (condition.message ?? '');
  if (isSame && status.powerState === contact.powerState) return undefined;
  if (isSameStatus) condition.lastUpdateTime = old.lastUpdateTime ?? now;
  return {
    ...status,
    powerState: contact.powerState,
    conditions: withCondition(status.conditions, condition),
  };
}

function conditionOf({ failure }: Contact): { type: string; status: string; message?: string } {
  if (failure === undefined) return { type: 'Contactable', status: 'True' };
  return { type: 'Contactable', status: 'False', message: textOf(failure) };
}

function textOf({ code, message }: BmcError): string {
  return `${code}: ${message}; ${adviceFor(code)}`;
}
