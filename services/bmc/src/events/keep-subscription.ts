/** Makes the BMC of a Machine send its events to this server, each subscription with a credential of its own. */
import { createHash } from 'node:crypto';
import {
  eventDestinationFor,
  EVENTS_ANNOTATION,
  subscriptionStepFor,
  type PinnedConnection,
} from '@tinkerbell/bmc';
import { BmcError, type BmcSession } from '@tinkerbell/engine-bmc';
import { bytesToHex } from '@tinkerbell/wire';
import type { BmcMachine } from '@tinkerbell/resources';
import type { NamespacedName } from '@tinkerbell/store-contract';
import { callBmc } from '../call-bmc.ts';
import { machineCollection } from '../collections.ts';
import type { Reconciling } from '../config.ts';
import { recordForMachine } from '../timeline.ts';

const CREDENTIAL_BYTES = 32;
/** Most BMCs without Redfish events never get them. */
const RETRY_MS = 6 * 3_600_000;

export class Subscriptions {
  readonly #deps: Reconciling;
  /** When BMCs that could not be subscribed are asked again, by Machine. */
  readonly #notBeforeMs = new Map<string, number>();

  constructor(deps: Reconciling) {
    this.#deps = deps;
  }

  /** Checks the subscription, because BMCs forget theirs when they restart. A failure is recorded and leaves the Machine as it is. */
  async keep(machine: BmcMachine, connection: PinnedConnection): Promise<void> {
    const { eventsUrl } = this.#deps.config;
    const sha256 = machine.metadata.annotations?.[EVENTS_ANNOTATION];
    const place = { namespace: machine.metadata.namespace, name: machine.metadata.name };
    const path = `${place.namespace}/${place.name}`;
    const nowMs = this.#deps.clock.nowMs();
    if (eventsUrl === undefined && sha256 === undefined) return;
    if (nowMs < (this.#notBeforeMs.get(path) ?? 0)) return;
    const destination = eventsUrl === undefined ? undefined : eventDestinationFor(eventsUrl, path);
    try {
      await this.#apply({ place, connection, destination, sha256 });
      this.#notBeforeMs.delete(path);
    } catch (thrown) {
      if (!(thrown instanceof BmcError)) throw thrown;
      this.#notBeforeMs.set(path, nowMs + RETRY_MS);
      const message = `the BMC sends no events: ${thrown.code}: ${thrown.message}`;
      recordForMachine(this.#deps, place, { event: 'bmc-events-unavailable', message });
    }
  }

  forget(path: string): void {
    this.#notBeforeMs.delete(path);
  }

  async #apply({ place, connection, destination, sha256 }: Wanted): Promise<void> {
    const listed = await this.#call(connection, 'list the event subscriptions', (events) => events.list());
    const machine = `${place.namespace}/${place.name}`;
    const { removes, creates } = subscriptionStepFor({ listed, machine, destination, sha256 }, sha256Of);
    for (const one of removes)
      await this.#call(connection, 'remove an event subscription', (events) => events.remove(one));
    if (destination === undefined) return await annotate(this.#deps, place, undefined);
    if (!creates) return;
    const context = bytesToHex(this.#deps.random.bytes(CREDENTIAL_BYTES));
    // First, because a BMC may send its first event before it answers.
    await annotate(this.#deps, place, sha256Of(context));
    await this.#call(connection, 'subscribe to events', (events) => events.create({ destination, context }));
    const message = `the BMC sends its events to ${destination}`;
    recordForMachine(this.#deps, place, { event: 'bmc-events-subscribed', message });
  }

  #call<Result>(
    connection: PinnedConnection,
    name: string,
    run: (events: NonNullable<BmcSession['events']>) => Promise<Result>,
  ): Promise<Result> {
    return callBmc(this.#deps, connection, {
      kind: 'events',
      name,
      // A subscription that was created twice is found and removed at the next check.
      isRepeatable: true,
      only: 'gofish',
      run: ({ events }) => (events === undefined ? undefined : run(events)),
    });
  }
}

interface Wanted {
  readonly place: NamespacedName;
  readonly connection: PinnedConnection;
  readonly destination: string | undefined;
  readonly sha256: string | undefined;
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function annotate(deps: Reconciling, place: NamespacedName, sha256: string | undefined): Promise<void> {
  const updated = await machineCollection.update<never>(deps.store, place, (machine) => {
    const { [EVENTS_ANNOTATION]: _, ...others } = machine.metadata.annotations ?? {};
    const annotations = sha256 === undefined ? others : { ...others, [EVENTS_ANNOTATION]: sha256 };
    return { object: { ...machine, metadata: { ...machine.metadata, annotations } } };
  });
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
}
