/**
 * An in-memory index of the store. It lists once, then follows the store's watch. When the watch ends or its revision was
 * removed, it lists again, and meanwhile answers from the objects it has. Boot services therefore survive the store's outages.
 */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import {
  collectionOf,
  kinds,
  macsOf,
  mayRunOn,
  ownerAmong,
  type BmcMachine,
  type Hardware,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import {
  type Collection,
  bmcMachineCollection,
  eachPage,
  hardwareCollection,
  keepListing,
  templateCollection,
  watchUntil,
  workflowCollection,
  type Change,
  type Listed,
  type Store,
  type View,
} from '@tinkerbell/store-contract';
import { byAge } from './by-age.ts';
import { changesBetween } from './changes-between.ts';
import { hasSameKeys, heldIn, type Held, type Objects } from './held.ts';
import { MultiIndex } from './multi-index.ts';
import { WorkflowsByHardware } from './workflows-by-hardware.ts';

export interface StoreViewDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export interface StoreView extends View {
  /** Resolves when the first list is complete. Follows until `signal` aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** How long the store has not been followed. 0 while its watch is open. */
  brokenForMs(): number;
}

type ChangeListener = Parameters<View['onChange']>[0];

export function createStoreView(deps: StoreViewDeps): StoreView {
  return new IndexedView(deps);
}

class IndexedView implements StoreView {
  readonly #deps: StoreViewDeps;
  readonly #listeners = new Set<ChangeListener>();
  #objects: Objects = new Map();
  readonly #byMac = new MultiIndex<Hardware>((one) => macsOf(one).map((mac) => mac.toLowerCase()));
  readonly #byIp = new MultiIndex<Hardware>(addressesOf);
  readonly #byAgentId = new MultiIndex<Hardware>(({ spec }) => [spec?.agentID ?? '']);
  readonly #byInstanceId = new MultiIndex<Hardware>(({ spec }) => [spec?.metadata?.instance?.id ?? '']);
  readonly #ofHardware = [this.#byMac, this.#byIp, this.#byAgentId, this.#byInstanceId];
  readonly #byAgent = new MultiIndex<Workflow>(({ status }) => [status?.agentID ?? ''], byAge);
  readonly #byHardware = new WorkflowsByHardware();
  #ready = false;
  /** On the monotonic clock. */
  #brokenSinceMs: number | undefined;

  constructor(deps: StoreViewDeps) {
    this.#deps = deps;
  }

  start(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    return keepListing({ clock, log, who: 'view' }, () => this.#listAndFollow(signal), signal);
  }

  /** Resolves once the view is complete. `ended` resolves with the reason when the watch ends. */
  async #listAndFollow(signal: AbortSignal): Promise<Listed> {
    const { store } = this.#deps;
    const from = await store.revision();
    const lists = await Promise.all(
      kinds.map(async (kind) => ({
        collection: collectionOf(kind),
        resources: await listAll(store, collectionOf(kind)),
      })),
    );
    this.#replace(new Map(lists.map(({ collection, resources }) => [collection, resources])));
    const onChange = (change: Change): void => this.#take(change);
    const listed = await watchUntil(store, { fromRevision: from }, { onChange, signal });
    this.#brokenSinceMs = undefined;
    void listed.ended.then(() => {
      this.#brokenSinceMs = this.#deps.clock.monotonicMs();
    });
    return listed;
  }

  brokenForMs(): number {
    return this.#brokenSinceMs === undefined ? 0 : this.#deps.clock.monotonicMs() - this.#brokenSinceMs;
  }

  #replace(lists: ReadonlyMap<string, readonly Resource[]>): void {
    for (const index of [...this.#ofHardware, this.#byAgent, this.#byHardware]) index.clear();
    const before = this.#objects;
    this.#objects = new Map();
    for (const [collection, resources] of lists) {
      for (const resource of resources) this.#put(collection, resource);
    }
    if (this.#ready)
      for (const { change, before: known } of changesBetween(before, this.#objects))
        this.#announce(change, known);
    this.#ready = true;
  }

  #announce(change: Change, before: Resource | undefined): void {
    for (const listener of this.#listeners) listener(change, before);
  }

  /** Changes between the first revision and its list may arrive twice. The newer revision is kept. */
  #take(change: Change): void {
    const path = pathOf(change.key.namespace, change.key.name);
    const known = this.#objects.get(change.key.collection)?.get(path)?.object;
    if (known !== undefined && Number(known.metadata.resourceVersion) >= change.revision) return;
    if (change.type === 'deleted') this.#remove(change.key.collection, path);
    else this.#put(change.key.collection, change.object);
    this.#announce(change, known);
  }

  #put(collection: string, object: Resource): void {
    const path = pathOf(object.metadata.namespace, object.metadata.name);
    let objects = this.#objects.get(collection);
    if (objects === undefined) this.#objects.set(collection, (objects = new Map()));
    const held = objects.get(path);
    if (held !== undefined && hasSameKeys(collection, held.object, object)) {
      held.object = object;
      return;
    }
    const next = { object };
    this.#index(collection, held, next);
    objects.set(path, next);
  }

  #remove(collection: string, path: string): void {
    const objects = this.#objects.get(collection);
    this.#index(collection, objects?.get(path), undefined);
    objects?.delete(path);
  }

  #index(collection: string, before: Held | undefined, after: Held | undefined): void {
    if (collection === hardwareCollection.name) {
      for (const index of this.#ofHardware)
        index.replace(heldIn(hardwareCollection, before), heldIn(hardwareCollection, after));
    } else if (collection === workflowCollection.name) {
      for (const index of [this.#byAgent, this.#byHardware])
        index.replace(heldIn(workflowCollection, before), heldIn(workflowCollection, after));
    }
  }

  hardwareByMac(mac: string): readonly Hardware[] {
    return owning(this.#byMac.get(mac.toLowerCase()));
  }

  hardwareByIp(address: string): readonly Hardware[] {
    return owning(this.#byIp.get(address));
  }

  hardwareByAgent(agentId: string): readonly Hardware[] {
    const named = this.#byAgentId.get(agentId);
    if (named.length === 0) return named;
    const owner = this.#ownerOfAgent(agentId);
    return owner !== undefined && named.includes(owner) ? [owner] : [];
  }

  hardwareByInstanceId(id: string): readonly Hardware[] {
    return this.#byInstanceId.get(id);
  }

  /** An agent is named by `spec.agentID`, or by a MAC of its machine. */
  #ownerOfAgent(agentId: string): Hardware | undefined {
    const [named, ofMac] = [this.#byAgentId.get(agentId), this.#byMac.get(agentId.toLowerCase())];
    if (ofMac.length === 0) return ownerAmong(named);
    // Most machines have one, with both.
    if (named.length === 1 && ofMac.length === 1 && named[0] === ofMac[0]) return named[0];
    return ownerAmong([...named, ...ofMac]);
  }

  hardwareNamed(namespace: string, name: string): Hardware | undefined {
    return this.#named(hardwareCollection, namespace, name);
  }

  templateNamed(namespace: string, name: string): Template | undefined {
    return this.#named(templateCollection, namespace, name);
  }

  workflowNamed(namespace: string, name: string): Workflow | undefined {
    return this.#named(workflowCollection, namespace, name);
  }

  bmcMachineNamed(namespace: string, name: string): BmcMachine | undefined {
    return this.#named(bmcMachineCollection, namespace, name);
  }

  #named<Object extends Resource>(
    collection: Collection<Object>,
    namespace: string,
    name: string,
  ): Object | undefined {
    const held = this.#objects.get(collection.name)?.get(pathOf(namespace, name));
    return heldIn(collection, held)?.object;
  }

  workflowsByAgent(agentId: string): readonly Workflow[] {
    const workflows = this.#byAgent.get(agentId);
    const machine = workflows.length === 0 ? undefined : this.#ownerOfAgent(agentId);
    return machine === undefined ? workflows : workflows.filter((one) => mayRunOn(one, machine));
  }

  workflowsByHardware(namespace: string, hardwareName: string): readonly Workflow[] {
    return this.#byHardware.get(namespace, hardwareName);
  }

  all(collection: string): readonly Resource[] {
    return Array.from(this.#objects.get(collection)?.values() ?? [], ({ object }) => object);
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ready(): boolean {
    return this.#ready;
  }
}

/** Changes between two pages arrive again with the watch, which begins at a revision before the first page. */
async function listAll(store: Store, collection: string): Promise<readonly Resource[]> {
  const resources: Resource[] = [];
  for await (const page of eachPage(store, { collection }))
    for (const { object } of page) resources.push(object);
  return resources;
}

function pathOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** Only the owner. The others named it later. */
function owning(claimants: readonly Hardware[]): readonly Hardware[] {
  if (claimants.length < 2) return claimants;
  const owner = ownerAmong(claimants);
  return owner === undefined ? [] : [owner];
}

function addressesOf(hardware: Hardware): string[] {
  return (hardware.spec?.interfaces ?? []).flatMap((one) => one.dhcp?.ip?.address ?? []);
}
