export { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
export { openSqliteLeaseBook, type SqliteLeaseBookOptions } from './sqlite-lease-book.ts';
