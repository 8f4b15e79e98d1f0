export { Checkpoints } from './checkpoints.ts';
export { prepareSchema } from './schema.ts';
export { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
export { openSqliteLeaseBook, prepareLeases, type SqliteLeaseBookOptions } from './sqlite-lease-book.ts';
