export { setAutocheckpoint, type Checkpoints } from '../checkpoints.ts';
export { openLog, type LogSync } from '../log-sync.ts';
export {
  acknowledgedPath,
  openAcknowledged,
  readAcknowledged,
  type Acknowledged,
  type AcknowledgedFile,
} from './acknowledged-file.ts';
export { acceptLoss, type Loss } from './accept-loss.ts';
export { damagedStore, type Damage } from './damage.ts';
export { guardedTables, type GuardedTable, type Part } from './guarded-tables.ts';
export { headChecksum, isIntactRow, rowChecksum, textChecksum, type ColumnValue } from './row-checksum.ts';
export { addTo, guardTable, takeFrom, Tallies, type Tally } from './tallies.ts';
export { assertIntact, verifyDatabase, type Verification } from './verify.ts';
