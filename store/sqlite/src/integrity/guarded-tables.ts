/** The parts of the program that write the database file, each with its tables. */
export const guardedTables = {
  store: ['objects', 'changes'],
  journal: ['journal', 'journal_output', 'journal_audit'],
  leases: ['leases'],
} as const;

export type Part = keyof typeof guardedTables;
export type GuardedTable = (typeof guardedTables)[Part][number];

export const parts: readonly Part[] = ['store', 'journal', 'leases'];
