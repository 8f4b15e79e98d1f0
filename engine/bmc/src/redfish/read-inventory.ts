/** Reads the resources of an inventory. What a service lacks or refuses is left out. */
import type { RawAdapter, RawInventory, RawStorage } from '@tinkerbell/bmc';
import { idOf, linkIn, linksIn, objectIn, objectsIn, textIn, type RedfishObject } from '@tinkerbell/redfish';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import type { RedfishMachine } from './redfish-machine.ts';
import { RefusalError } from './refusal.ts';

/** A machine with 60 drives and 32 memory modules needs about 200. */
const REQUESTS_MAX = 1000;
/** After these no other resource can be read. */
const ENDS: ReadonlySet<BmcErrorCode> = new Set([
  'session-lost',
  'wrong-credentials',
  'locked-account',
  'busy',
]);

export async function readInventory(machine: RedfishMachine): Promise<RawInventory> {
  const reader = new InventoryReader(machine);
  const system = (await machine.connection.get(machine.systemPath)).fields;
  const links = objectIn(system, 'Links');
  const [chassis] = await reader.all(linksIn(links, 'Chassis').slice(0, 1));
  const [manager] = await reader.all(linksIn(links, 'ManagedBy').slice(0, 1));
  return {
    system,
    processors: await reader.members(linkIn(system, 'Processors')),
    memory: await reader.members(linkIn(system, 'Memory')),
    storages: await storagesOf(reader, system),
    adapters: await adaptersOf(reader, chassis),
    interfaces: await reader.members(linkIn(system, 'EthernetInterfaces')),
    chassis,
    powerSupplies: await powerSuppliesOf(reader, chassis),
    manager,
    managerInterfaces: await reader.members(linkIn(manager, 'EthernetInterfaces')),
  };
}

async function storagesOf(reader: InventoryReader, system: RedfishObject): Promise<readonly RawStorage[]> {
  const found: RawStorage[] = [];
  for (const storage of await reader.members(linkIn(system, 'Storage'))) {
    const controllers = await reader.members(linkIn(storage, 'Controllers'));
    found.push({ storage, controllers, drives: await reader.all(linksIn(storage, 'Drives')) });
  }
  return found;
}

async function adaptersOf(
  reader: InventoryReader,
  chassis: RedfishObject | undefined,
): Promise<readonly RawAdapter[]> {
  const found: RawAdapter[] = [];
  for (const adapter of await reader.members(linkIn(chassis, 'NetworkAdapters'))) {
    const ports = linkIn(adapter, 'Ports') ?? linkIn(adapter, 'NetworkPorts');
    found.push({ adapter, ports: await reader.members(ports) });
  }
  return found;
}

/** PowerSubsystem replaces Power since 2020.4. Services may have both. */
async function powerSuppliesOf(
  reader: InventoryReader,
  chassis: RedfishObject | undefined,
): Promise<readonly RedfishObject[]> {
  const subsystem = await reader.one(linkIn(chassis, 'PowerSubsystem'));
  const supplies = await reader.members(linkIn(subsystem, 'PowerSupplies'));
  if (supplies.length > 0) return supplies;
  return objectsIn(await reader.one(linkIn(chassis, 'Power')), 'PowerSupplies');
}

class InventoryReader {
  readonly #machine: RedfishMachine;
  #requests = 0;

  constructor(machine: RedfishMachine) {
    this.#machine = machine;
  }

  one(path: string | undefined): Promise<RedfishObject | undefined> {
    if (path === undefined) return Promise.resolve(undefined);
    return this.#optional(async () => (await this.#machine.connection.get(path)).fields);
  }

  async all(paths: readonly string[]): Promise<readonly RedfishObject[]> {
    const found: RedfishObject[] = [];
    for (const path of paths) {
      const resource = await this.one(path);
      if (resource !== undefined) found.push(resource);
    }
    return found;
  }

  async members(collection: string | undefined): Promise<readonly RedfishObject[]> {
    if (collection === undefined) return [];
    const listed =
      (await this.#expanded(collection)) ??
      (await this.#optional(() => this.#machine.connection.members(collection)));
    const found: RedfishObject[] = [];
    for (const member of listed ?? []) {
      // A reference has no Id. Services may expand some members only.
      const whole = textIn(member, 'Id') === undefined ? await this.one(idOf(member)) : member;
      if (whole !== undefined) found.push(whole);
    }
    return found;
  }

  /** One request instead of one for each member. Undefined: the service cannot, or the answer is too large. */
  async #expanded(collection: string): Promise<readonly RedfishObject[] | undefined> {
    const { connection, root } = this.#machine;
    if (root.expandQuery === undefined) return undefined;
    try {
      return await this.#optional(() => connection.members(`${collection}?${root.expandQuery}`));
    } catch (thrown) {
      if (thrown instanceof BmcError && thrown.code === 'too-large') return undefined;
      throw thrown;
    }
  }

  async #optional<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
    this.#requests += 1;
    if (this.#requests > REQUESTS_MAX)
      throw new BmcError('too-large', `the inventory has more than ${REQUESTS_MAX} resources`);
    try {
      return await read();
    } catch (thrown) {
      if (!(thrown instanceof RefusalError) || ENDS.has(thrown.code)) throw thrown;
      return undefined;
    }
  }
}
