/** The subscriptions of a BMC to its events (schemas EventService and EventDestination). */
import { eventDestinationOf, eventServiceOf, subscriptionBody, type EventService } from '@tinkerbell/redfish';
import { BmcError } from '../bmc-error.ts';
import type { EventSubscriptions, ListedSubscription, NewSubscription } from '../driver.ts';
import type { RedfishMachine } from './redfish-machine.ts';

/** Real BMCs allow from 4 to 20. */
const SUBSCRIPTIONS_MAX = 64;

export class RedfishEvents implements EventSubscriptions {
  readonly #machine: RedfishMachine;

  constructor(machine: RedfishMachine) {
    this.#machine = machine;
  }

  async list(): Promise<readonly ListedSubscription[]> {
    const { connection } = this.#machine;
    const { subscriptions } = await this.#service();
    const listed: ListedSubscription[] = [];
    for (const path of (await connection.memberPaths(subscriptions)).slice(0, SUBSCRIPTIONS_MAX)) {
      const found = eventDestinationOf((await connection.get(path)).fields);
      if (found !== undefined) listed.push({ path, ...found });
    }
    return listed;
  }

  async create(wanted: NewSubscription): Promise<void> {
    const { subscriptions, types } = await this.#service();
    const body = subscriptionBody(wanted, types);
    await this.#machine.connection.change({ method: 'POST', path: subscriptions, body });
  }

  async remove({ path }: ListedSubscription): Promise<void> {
    await this.#machine.connection.change({ method: 'DELETE', path });
  }

  async #service(): Promise<EventService & { readonly subscriptions: string }> {
    const { connection, root } = this.#machine;
    if (root.eventService === undefined) throw new BmcError('unsupported', 'the BMC has no event service');
    const service = eventServiceOf((await connection.get(root.eventService)).fields);
    const { subscriptions } = service;
    if (!service.isEnabled) throw new BmcError('unsupported', 'the event service of the BMC is disabled');
    if (subscriptions === undefined)
      throw new BmcError('unsupported', 'the event service of the BMC has no subscriptions');
    return { ...service, subscriptions };
  }
}
