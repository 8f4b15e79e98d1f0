import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { startPostgres, type Postgres } from '@tinkerbell/sandbox/postgres';
import type { Journal } from '@tinkerbell/store-contract';
import { journalSuite } from '@tinkerbell/store-contract/journal-suite';
import { openPostgresJournal } from './index.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

let databases = 0;
const newDatabase = (): Promise<string> => postgres.database(`d${(databases += 1)}`);

journalSuite('postgres', async (limits) =>
  openPostgresJournal({ url: await newDatabase(), clock: nodeClock, log, ...limits }),
);

const note = (journal: Journal, message: string): void =>
  journal.append({ source: 'server', event: 'noted', message });

test('a follower sees the records of other servers, once and in order', async () => {
  const url = await newDatabase();
  const journals = await Promise.all(
    [1, 2, 3].map(() => openPostgresJournal({ url, clock: nodeClock, log })),
  );
  const seen: number[][] = journals.map(() => []);
  for (const [index, journal] of journals.entries())
    journal.follow({}, ({ sequence }) => void seen[index]?.push(sequence));
  await Promise.all(journals.map((journal) => journal.read({ after: 0 })));
  for (let number = 0; number < 300; number++) {
    const journal = journals[number % 3];
    if (journal !== undefined) note(journal, String(number));
    if (number % 50 === 0) await journal?.read({ after: 0, limit: 1 });
  }
  while (seen.some(({ length }) => length < 300)) await new Promise((resolve) => setTimeout(resolve, 5));
  const all = Array.from({ length: 300 }, (_, index) => index + 1);
  for (const sequences of seen) assert.deepEqual(sequences, all);
  await Promise.all(journals.map((journal) => journal.close()));
});

test('keeps records while PostgreSQL is unreachable, and writes them when it is back', async () => {
  const url = await newDatabase();
  await using journal = await openPostgresJournal({ url, clock: nodeClock, log });
  note(journal, 'before');
  await journal.read({ after: 0 });
  await postgres.crash();
  note(journal, 'during');
  await assert.rejects(journal.read({ after: 0 }));
  await postgres.start();
  note(journal, 'later');
  const messages = (await journal.read({ after: 0 })).map(({ message }) => message);
  assert.deepEqual(messages.slice(-2), ['during', 'later']);
});
