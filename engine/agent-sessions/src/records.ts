/** The records of machines, which are stored in Leases. */
import {
  leaseOf,
  recordIn,
  recordNameOf,
  type AgentRecord,
  type AgentRefusal,
} from '@tinkerbell/agent-identity';
import { PlatformError, type Clock, type Random } from '@tinkerbell/platform-contract';
import { collectionOf, leaseKind, uidOf, type Hardware } from '@tinkerbell/resources';
import type { CommitResult, ObjectKey, Store, StoredObject } from '@tinkerbell/store-contract';

interface RecordsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** The number of conflicts in a row before giving up. Each one means that another call was first. */
const TRIES = 5;
/** Kept while the store is unavailable. */
const REMEMBERED_MAX = 20_000;

type Decision = { readonly record: AgentRecord } | { readonly refusal: AgentRefusal };

export class Records {
  readonly #deps: RecordsDeps;
  readonly #last = new Map<string, AgentRecord | undefined>();

  constructor(deps: RecordsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the existing records. While the store is unavailable, it returns them as they were last read, and rejects for records
   * that were never read.
   */
  async of(machines: readonly (Hardware | undefined)[]): Promise<readonly AgentRecord[]> {
    const records: AgentRecord[] = [];
    // One after the other, because nearly every agent has one machine, and asks with each heartbeat.
    for (const machine of machines) {
      const key = machine && keyOf(machine);
      const record = key && (await this.#read(key));
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** Resolves with undefined when the change is durable. Rejects when the store does not accept it. */
  async change(
    hardware: Hardware,
    decide: (record: AgentRecord | undefined) => Decision,
  ): Promise<AgentRefusal | undefined> {
    const key = keyOf(hardware);
    if (key === undefined) throw new Error('a machine must have a MAC');
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const stored = await this.#deps.store.get(key);
      const decision = decide(recordIn(stored?.object));
      if ('refusal' in decision) return decision.refusal;
      const result = await this.#write(hardware, { key, stored }, decision.record);
      if (result.ok) {
        this.#remember(key, decision.record);
        return undefined;
      }
      if (result.reason === 'unavailable') throw new PlatformError('unavailable', result.message);
    }
    throw new PlatformError('unavailable', 'the session of the machine cannot be written');
  }

  #write(
    hardware: Hardware,
    { key, stored }: { readonly key: ObjectKey; readonly stored: StoredObject | undefined },
    record: AgentRecord,
  ): Promise<CommitResult> {
    const { store, clock, random } = this.#deps;
    const creation = { hardware, uid: uidOf(random.bytes(16)), nowMs: clock.nowMs() };
    const object = leaseOf(record, stored?.object, creation);
    return store.commit([
      stored === undefined
        ? { operation: 'create', key, object }
        : { operation: 'update', key, object, expectedRevision: stored.revision },
    ]);
  }

  async #read(key: ObjectKey): Promise<AgentRecord | undefined> {
    const name = `${key.namespace}/${key.name}`;
    try {
      const record = recordIn((await this.#deps.store.get(key))?.object);
      this.#remember(key, record);
      return record;
    } catch (thrown) {
      if (this.#last.has(name)) return this.#last.get(name);
      throw thrown;
    }
  }

  #remember(key: ObjectKey, record: AgentRecord | undefined): void {
    const name = `${key.namespace}/${key.name}`;
    if (record === undefined && this.#last.has(name) && this.#last.get(name) === undefined) return;
    this.#last.delete(name);
    this.#last.set(name, record);
    const [oldest] = this.#last.keys();
    if (this.#last.size > REMEMBERED_MAX && oldest !== undefined) this.#last.delete(oldest);
  }
}

/** Each call of an agent asks for the key of its machine, which follows from the version of the Hardware. */
const keys = new WeakMap<Hardware, ObjectKey>();

function keyOf(hardware: Hardware): ObjectKey | undefined {
  const known = keys.get(hardware);
  if (known !== undefined) return known;
  const name = recordNameOf(hardware);
  if (name === undefined) return undefined;
  const key = { collection: collectionOf(leaseKind), namespace: hardware.metadata.namespace, name };
  keys.set(hardware, key);
  return key;
}
