/** Objects of one kind. The store validates every object of a collection as that kind, so the type is known here. */
import {
  bmcMachineKind,
  collectionOf,
  hardwareKind,
  templateKind,
  workflowKind,
  type BmcMachine,
  type Hardware,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import type { Change, NamespacedName, ObjectKey, Store, StoredObject } from './store.ts';
import { updateObject, type Decision, type Updated } from './update-object.ts';
import type { View } from './view.ts';

export class Collection<Object extends Resource> {
  /** `hardware.tinkerbell.org` */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  key({ namespace, name }: NamespacedName): ObjectKey {
    return { collection: this.name, namespace, name };
  }

  get(store: Store, place: NamespacedName): Promise<StoredObject<Object> | undefined> {
    return store.get(this.key(place)) as Promise<StoredObject<Object> | undefined>;
  }

  all(view: Pick<View, 'all'>): readonly Object[] {
    return view.all(this.name) as readonly Object[];
  }

  /** The object with its type. It must be one of this collection. */
  typed(object: Resource): Object {
    return object as Object;
  }

  holds(change: Change): change is Change<Object>;
  holds(stored: StoredObject): stored is StoredObject<Object>;
  holds({ key }: { readonly key: ObjectKey }): boolean {
    return key.collection === this.name;
  }

  /** As `updateObject`. */
  update<Refusal>(
    store: Store,
    place: NamespacedName,
    decide: (current: Object) => Decision<Refusal, Object>,
  ): Promise<Updated<Refusal, Object>> {
    const updated = updateObject<Refusal>(store, this.key(place), (current) => decide(this.typed(current)));
    return updated as Promise<Updated<Refusal, Object>>;
  }
}

export const bmcMachineCollection = new Collection<BmcMachine>(collectionOf(bmcMachineKind));
export const hardwareCollection = new Collection<Hardware>(collectionOf(hardwareKind));
export const templateCollection = new Collection<Template>(collectionOf(templateKind));
export const workflowCollection = new Collection<Workflow>(collectionOf(workflowKind));
