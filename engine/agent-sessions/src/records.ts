/** The records of machines, which are stored in Leases. */
import {
  leaseOf,
  recordIn,
  recordNameOf,
  type AgentRecord,
  type AgentRefusal,
} from '@tinkerbell/agent-identity';
import { PlatformError, setLatest, type Clock, type Random } from '@tinkerbell/platform-contract';
import { collectionOf, leaseKind, uidOf, type Hardware, type Resource } from '@tinkerbell/resources';
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

/** What is known of a version of a Hardware. */
interface Known {
  readonly key: ObjectKey;
  readonly name: string;
  /** What was read last, and the record in it. */
  read: { readonly object: Resource | undefined; readonly record: AgentRecord | undefined } | undefined;
}

type Decision = { readonly record: AgentRecord } | { readonly refusal: AgentRefusal };

export class Records {
  readonly #deps: RecordsDeps;
  readonly #last = new Map<string, AgentRecord | undefined>();
  /** Nearly every call of an agent finds its record unchanged. */
  readonly #known = new WeakMap<Hardware, Known>();

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
      const known = machine && this.#knownOf(machine);
      const record = known && (await this.#read(known));
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** Resolves with undefined when the change is durable. Rejects when the store does not accept it. */
  async change(
    hardware: Hardware,
    decide: (record: AgentRecord | undefined) => Decision,
  ): Promise<AgentRefusal | undefined> {
    const known = this.#knownOf(hardware);
    if (known === undefined) throw new Error('a machine must have a MAC');
    const { key, name } = known;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const stored = await this.#deps.store.get(key);
      const decision = decide(recordIn(stored?.object));
      if ('refusal' in decision) return decision.refusal;
      const result = await this.#write(hardware, { key, stored }, decision.record);
      if (result.ok) {
        known.read = undefined;
        this.#remember(name, decision.record);
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

  async #read(known: Known): Promise<AgentRecord | undefined> {
    const { key, name, read } = known;
    try {
      const object = (await this.#deps.store.get(key))?.object;
      if (read !== undefined && read.object === object) return read.record;
      const record = recordIn(object);
      known.read = { object, record };
      this.#remember(name, record);
      return record;
    } catch (thrown) {
      if (this.#last.has(name)) return this.#last.get(name);
      if (read !== undefined) return read.record;
      throw thrown;
    }
  }

  #remember(name: string, record: AgentRecord | undefined): void {
    setLatest(this.#last, [name, record], REMEMBERED_MAX);
  }

  #knownOf(hardware: Hardware): Known | undefined {
    const known = this.#known.get(hardware);
    if (known !== undefined) return known;
    const name = recordNameOf(hardware);
    if (name === undefined) return undefined;
    const { namespace } = hardware.metadata;
    const key = { collection: collectionOf(leaseKind), namespace, name };
    const made = { key, name: `${namespace}/${name}`, read: undefined };
    this.#known.set(hardware, made);
    return made;
  }
}
