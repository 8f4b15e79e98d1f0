/** From where and to where. */
import type { LeaseBook, RestorableJournal, Store } from '@tinkerbell/store-contract';

export interface TransferPlace {
  /** As a person names it, without passwords; the same each time. */
  readonly name: string;
  readonly store: Store;
  /** Absent where records and leases are kept apart from the objects. */
  readonly journal?: RestorableJournal;
  readonly leases?: LeaseBook;
  /**
   * A Kubernetes cluster: it has objects of its own, gives uid, creationTimestamp and generation itself, and moves its revision for
   * whatever happens in it.
   */
  readonly isCluster?: boolean;
}

export interface KindReport {
  /** `hardware.tinkerbell.org` */
  readonly collection: string;
  readonly count: number;
  /** SHA-256 in hex over everything that is kept, the same on both sides. */
  readonly digest: string;
}

export interface TransferReport {
  readonly from: string;
  readonly to: string;
  readonly isDryRun: boolean;
  /** It went on where an earlier run was interrupted. */
  readonly isResumed: boolean;
  readonly kinds: readonly KindReport[];
  readonly objects: number;
  /** Of timelines, and lines of the output of actions; undefined where they are kept apart. */
  readonly records: number | undefined;
  readonly leases: number | undefined;
  /** `namespace/name: action`, that agents were performing; told only with `isWhileRunning`. */
  readonly running: readonly string[];
}
