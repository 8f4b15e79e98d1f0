export { openPostgresJournal, type PostgresJournalOptions } from './postgres-journal.ts';
export { openPostgresStore, type PostgresStoreOptions } from './postgres-store.ts';
export { openPostgresLeaseBook, type PostgresLeaseBookOptions } from './postgres-lease-book.ts';
