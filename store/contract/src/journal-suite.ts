/** Tests the journal contract. Every backend must pass all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Journal, JournalEntry, JournalQuery, RestorableJournal } from './index.ts';

const mac = '52:54:00:00:00:01';
/** Far from the age at which records are dropped. */
const YOUNG_MS = 4_000_000_000_000;

export interface JournalLimits {
  readonly recordsKept?: number;
  readonly outputLinesKept?: number;
  readonly auditRecordsKept?: number;
}

function entryOf(message: string, change: Partial<JournalEntry> = {}): JournalEntry {
  return { source: 'server', event: 'noted', message, ...change };
}

async function messagesOf(journal: Journal, query: Partial<JournalQuery> = {}): Promise<readonly string[]> {
  return (await journal.read({ after: 0, ...query })).map(({ message }) => message);
}

/** Registers the tests for one backend. `open` returns a new, empty journal. */
export function journalSuite(
  backend: string,
  open: (limits: JournalLimits) => Promise<RestorableJournal>,
): void {
  const journalTest = (
    name: string,
    body: (journal: RestorableJournal) => Promise<void>,
    limits: JournalLimits = {},
  ) =>
    test(`${backend}: ${name}`, async () => {
      await using journal = await open(limits);
      await body(journal);
    });
  readTests(journalTest);
  sequenceTests(journalTest);
  followTests(journalTest);
  restoreTests(journalTest);
}

type JournalTest = (
  name: string,
  body: (journal: RestorableJournal) => Promise<void>,
  limits?: JournalLimits,
) => void;

function readTests(journalTest: JournalTest): void {
  journalTest('reads records by machine, by workflow, or both, in order', async (journal) => {
    journal.append(entryOf('one', { machine: mac }));
    journal.append(entryOf('two', { workflow: 'default/w' }));
    journal.append(entryOf('three', { machine: mac, workflow: 'default/w', details: { bytes: 3 } }));
    journal.append(entryOf('four'));
    assert.deepEqual(await messagesOf(journal, { machines: [mac] }), ['one', 'three']);
    assert.deepEqual(await messagesOf(journal, { workflows: ['default/w'] }), ['two', 'three']);
    const both = { machines: [mac], workflows: ['default/w'] };
    assert.deepEqual(await messagesOf(journal, both), ['one', 'two', 'three']);
    assert.deepEqual(await messagesOf(journal, { machines: [] }), []);
    const all = await journal.read({ after: 0 });
    assert.deepEqual(
      all.map(({ message }) => message),
      ['one', 'two', 'three', 'four'],
    );
    assert.deepEqual(all[2]?.details, { bytes: 3 });
    const after = all[0]?.sequence ?? 0;
    assert.deepEqual(await messagesOf(journal, { after, limit: 2 }), ['two', 'three']);
  });

  journalTest('reads the output of actions by its name only', async (journal) => {
    for (const [event, message] of [
      ['action-started', 'one'],
      ['action-output', 'two'],
      ['action-succeeded', 'three'],
      ['action-output', 'four'],
    ] as const)
      journal.append(entryOf(message, { event }));
    assert.deepEqual(await messagesOf(journal), ['one', 'three']);
    assert.deepEqual(await messagesOf(journal, { events: ['action-output'] }), ['two', 'four']);
    const events = ['action-output', 'action-succeeded'];
    assert.deepEqual(await messagesOf(journal, { events }), ['two', 'three', 'four']);
    assert.deepEqual(await messagesOf(journal, { events, limit: 1 }), ['two']);
    assert.deepEqual(await messagesOf(journal, { events: [] }), []);
  });

  journalTest('reads the audit of writes by its name only, and apart from output', async (journal) => {
    for (const [event, message] of [
      ['noted', 'one'],
      ['write-answered', 'two'],
      ['action-output', 'three'],
      ['write-answered', 'four'],
    ] as const)
      journal.append(entryOf(message, { event }));
    assert.deepEqual(await messagesOf(journal), ['one']);
    assert.deepEqual(await messagesOf(journal, { events: ['action-output'] }), ['three']);
    assert.deepEqual(await messagesOf(journal, { events: ['write-answered'] }), ['two', 'four']);
    const events = ['write-answered', 'noted', 'action-output'];
    assert.deepEqual(await messagesOf(journal, { events }), ['one', 'two', 'three', 'four']);
  });
}

function sequenceTests(journalTest: JournalTest): void {
  journalTest('numbers grow, and reads of one moment see the same records', async (journal) => {
    for (let index = 0; index < 500; index++) {
      journal.append(entryOf(String(index), { event: index % 2 === 0 ? 'even' : 'odd' }));
    }
    const [even, odd] = await Promise.all([
      journal.read({ after: 0, events: ['even'] }),
      journal.read({ after: 0, events: ['odd'] }),
    ]);
    const all = [...even, ...odd].toSorted((a, b) => a.sequence - b.sequence);
    assert.deepEqual(
      all.map(({ message }) => Number(message)),
      Array.from({ length: 500 }, (_, index) => index),
    );
    assert.equal(new Set(all.map(({ sequence }) => sequence)).size, 500);
  });

  journalTest(
    'drops the oldest records when there are too many, and counts lines of output separately',
    async (journal) => {
      for (let index = 0; index < 12_000; index++) journal.append(entryOf('', { event: 'action-output' }));
      for (const message of ['one', 'two']) journal.append(entryOf(message));
      await journal.read({ after: 0, limit: 1 });
      for (let index = 0; index < 12_000; index++) journal.append(entryOf('', { event: 'action-output' }));
      assert.deepEqual(await messagesOf(journal), ['one', 'two']);
      const [oldest] = await journal.read({ after: 0, events: ['action-output'], limit: 1 });
      assert.ok((oldest?.sequence ?? 0) > 10_000, String(oldest?.sequence));
    },
    { recordsKept: 5, outputLinesKept: 2_000 },
  );

  journalTest(
    'drops the oldest audit records separately from all others',
    async (journal) => {
      for (const message of ['one', 'two']) journal.append(entryOf(message));
      journal.append(entryOf('line', { event: 'action-output' }));
      for (let index = 0; index < 24_000; index++) journal.append(entryOf('', { event: 'write-answered' }));
      assert.deepEqual(await messagesOf(journal), ['one', 'two']);
      assert.deepEqual(await messagesOf(journal, { events: ['action-output'] }), ['line']);
      for (let index = 0; index < 12_000; index++) journal.append(entryOf('', { event: 'write-answered' }));
      const [oldest] = await journal.read({ after: 0, events: ['write-answered'], limit: 1 });
      assert.ok((oldest?.sequence ?? 0) > 10_000, String(oldest?.sequence));
    },
    { recordsKept: 5, outputLinesKept: 5, auditRecordsKept: 2_000 },
  );
}

function followTests(journalTest: JournalTest): void {
  journalTest('sends matching records to followers until they stop', async (journal) => {
    const seen: string[] = [];
    const outputs: string[] = [];
    journal.append(entryOf('before', { machine: mac }));
    await journal.read({ after: 0 });
    const stop = journal.follow({ machines: [mac] }, ({ message }) => seen.push(message));
    journal.follow({ events: ['action-output'] }, ({ message }) => outputs.push(message));
    journal.append(entryOf('one', { machine: mac }));
    journal.append(entryOf('other', { machine: '52:54:00:00:00:02' }));
    journal.append(entryOf('line', { machine: mac, event: 'action-output' }));
    journal.append(entryOf('write', { machine: mac, event: 'write-answered' }));
    journal.append(entryOf('two', { machine: mac }));
    await journal.read({ after: 0 });
    stop();
    journal.append(entryOf('after', { machine: mac }));
    await journal.read({ after: 0 });
    assert.deepEqual(seen, ['one', 'two']);
    assert.deepEqual(outputs, ['line']);
  });
}

function restoreTests(journalTest: JournalTest): void {
  journalTest(
    'accepts the records of another journal with their numbers and times, once',
    async (journal) => {
      const one = { ...entryOf('one', { machine: mac }), sequence: 700_000, atMs: YOUNG_MS };
      const two = { ...entryOf('two', { event: 'action-output' }), sequence: 700_003, atMs: YOUNG_MS + 1 };
      const write = { ...entryOf('write', { event: 'write-answered' }), sequence: 700_001, atMs: YOUNG_MS };
      await journal.restore([write]);
      await journal.restore([write]);
      await journal.restore([two]);
      await journal.restore([one, two]);
      journal.append(entryOf('three', { event: 'action-output' }));
      assert.deepEqual(await journal.read({ after: 0 }), [one]);
      assert.deepEqual(await journal.read({ after: 0, events: ['write-answered'] }), [write]);
      const [first, second, ...others] = await journal.read({ after: 0, events: ['action-output'] });
      assert.deepEqual([first, second?.message, others], [two, 'three', []]);
      assert.ok((second?.sequence ?? 0) > 700_003);
    },
  );
}
