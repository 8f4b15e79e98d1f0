import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { journalSuite } from '@tinkerbell/store-contract/journal-suite';
import { openSqliteJournal } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

journalSuite('sqlite', (limits) =>
  Promise.resolve(openSqliteJournal({ path: ':memory:', clock: nodeClock, log, ...limits })),
);
