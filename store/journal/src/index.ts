export { openSqliteJournal, prepareJournal, type SqliteJournalOptions } from './sqlite-journal.ts';
