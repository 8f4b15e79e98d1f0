export {
  formatKey,
  type Change,
  type CommitResult,
  type ListQuery,
  type NamespacedName,
  type ObjectKey,
  type ObjectList,
  type Store,
  type StoredObject,
  type WatchHandlers,
  type WatchQuery,
  type WatchResult,
  type Write,
} from './store.ts';
export {
  ACTION_OUTPUT,
  CONSOLE_OUTPUT,
  EVENTS_READ_BY_NAME,
  matches,
  WRITE_ANSWERED,
  type Journal,
  type JournalDetail,
  type JournalEntry,
  type JournalQuery,
  type JournalRecord,
  type JournalSource,
  type RestorableJournal,
} from './journal.ts';
export { LEASES_KEPT, type Lease, type LeaseBook } from './leases.ts';
export type { View } from './view.ts';
export { machineOfAgent } from './machine-of-agent.ts';
export { WatchHub } from './watch-hub.ts';
export { changeOf, refusalOf, withRevision, type Refusal } from './apply-write.ts';
export {
  Collection,
  bmcMachineCollection,
  hardwareCollection,
  templateCollection,
  workflowCollection,
} from './collection.ts';
export { updateObject, type Decision, type Updated } from './update-object.ts';
export { JOURNAL_BOUNDS, type JournalBounds } from './journal-bounds.ts';
export { eachPage, keepListing, watchUntil, type Listed } from './list-and-watch.ts';
export { changeFrom, keyFrom, leaseFrom, objectFrom, recordFrom, storedFrom } from './stored-row.ts';
