/** From where and to where. */
import type { LeaseBook, RestorableJournal, Store } from '@tinkerbell/store-contract';

export interface TransferPlace {
  /** The name as an operator writes it, without passwords. It is the same each time. */
  readonly name: string;
  readonly store: Store;
  /** Absent where records and leases are kept apart from the objects. */
  readonly journal?: RestorableJournal;
  readonly leases?: LeaseBook;
  /**
   * A Kubernetes cluster. It contains other objects, assigns uid, creationTimestamp and generation itself, and its revision
   * changes with every event in it.
   */
  readonly isCluster?: boolean;
}

export interface KindReport {
  /** `hardware.tinkerbell.org` */
  readonly collection: string;
  readonly count: number;
  /** The SHA-256 in hex over everything that is kept. It is the same on both sides. */
  readonly digest: string;
}

export interface TransferReport {
  readonly from: string;
  readonly to: string;
  readonly isDryRun: boolean;
  /** The run resumed an earlier, interrupted run. */
  readonly isResumed: boolean;
  readonly kinds: readonly KindReport[];
  readonly objects: number;
  /** The number of timeline records and of lines of action output. Undefined where they are kept elsewhere. */
  readonly records: number | undefined;
  readonly leases: number | undefined;
  /** `namespace/name: action` of actions that agents were performing. It is reported only with `isWhileRunning`. */
  readonly running: readonly string[];
}
