/** Timelines and the output of actions, as streams. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEntry, JournalRecord } from '@tinkerbell/store-contract';
import { base, startedApi } from './testing/started-api.ts';

const output = (message: string, action = 'a'): JournalEntry => ({
  source: 'agent',
  event: 'action-output',
  workflow: 'default/w',
  message,
  details: { task: 't', action, attempt: 1, stream: 'stdout', position: 0 },
});
const happened = (message: string): JournalEntry => ({
  source: 'workflow',
  event: 'state-changed',
  workflow: 'default/w',
  message,
});

async function withWorkflow() {
  const api = await startedApi();
  await api.call('POST', `${base}/workflows`, {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: {},
  });
  /** Returns the messages of a stream; of an endless one, the first `count`. */
  async function messages(path: string, count = Infinity): Promise<string[]> {
    const seen: string[] = [];
    const response = await api.raw('GET', `${base}/workflows/w/${path}`);
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) seen.push((JSON.parse(line) as JournalRecord).message);
      if (seen.length >= count) break;
    }
    return seen;
  }
  return { ...api, messages };
}

test('the log is the output of actions, the timeline is all else, and output=true returns both', async () => {
  await using api = await withWorkflow();
  for (const entry of [happened('1'), output('2'), output('3', 'b'), happened('4')])
    api.journal.append(entry);
  assert.deepEqual(await api.messages('log'), ['2', '3']);
  assert.deepEqual(await api.messages('log?action=b'), ['3']);
  assert.deepEqual(await api.messages('log?action=b&task=u'), []);
  const [second] = await api.journal.read({ after: 0, events: ['action-output'], limit: 1 });
  assert.deepEqual(await api.messages(`log?after=${second?.sequence}`), ['3']);
  assert.deepEqual(await api.messages('timeline'), ['1', '4']);
  assert.deepEqual(await api.messages('timeline?output=true'), ['1', '2', '3', '4']);
});

test('a followed log neither misses nor repeats records, however many exist and arrive', async () => {
  await using api = await withWorkflow();
  const all = Array.from({ length: 2000 }, (_, index) => String(index));
  for (const one of all.slice(0, 1000)) api.journal.append(output(one));
  const reading = api.messages('log?follow=true', all.length);
  for (const [index, one] of all.slice(1000).entries()) {
    if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    api.journal.append(output(one));
  }
  assert.deepEqual(await reading, all);
});

test('a timeline with output keeps the order of both', async () => {
  await using api = await withWorkflow();
  const all = Array.from({ length: 1500 }, (_, index) => String(index));
  for (const [index, one] of all.entries()) api.journal.append((index % 7 === 0 ? happened : output)(one));
  assert.deepEqual(await api.messages('timeline?output=true&watch=true', all.length), all);
});

test('names invalid parameters', async () => {
  await using api = await withWorkflow();
  for (const [query, says] of [
    ['log?after=x', /after must be a whole number, not "x"/],
    ['log?follow=maybe', /follow must be true or false, not "maybe"/],
    ['timeline?output=2', /output must be true or false/],
  ] as const) {
    const refused = await api.call('GET', `${base}/workflows/w/${query}`);
    assert.equal(refused.code, 400);
    assert.match(refused.body.message, says);
  }
  assert.equal((await api.call('POST', `${base}/workflows/w/log`, {})).code, 405);
  assert.equal((await api.call('GET', `${base}/hardware/w/log`)).code, 404);
});

async function withCountedFollowers() {
  const api = await withWorkflow();
  const followers = new Set<object>();
  const follow = api.journal.follow.bind(api.journal);
  api.journal.follow = (query, onRecord) => {
    followers.add(query);
    const stop = follow(query, onRecord);
    return () => {
      followers.delete(query);
      stop();
    };
  };
  async function noneIsLeft(): Promise<void> {
    for (let i = 0; i < 100 && followers.size > 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(followers.size, 0);
  }
  return { ...api, noneIsLeft };
}

test('a client that disconnects leaves no follower behind', async () => {
  await using api = await withCountedFollowers();
  api.journal.append(output('1'));
  await api.messages('log?follow=true', 1);
  await api.noneIsLeft();
});

test('a client that disconnects before it has read all leaves no follower behind', async () => {
  await using api = await withCountedFollowers();
  for (let i = 0; i < 1000; i++) api.journal.append(output(String(i)));
  const response = await api.raw('GET', `${base}/workflows/w/log?follow=true`);
  // A page waits in the stream, which requests no other.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await response.body?.cancel();
  await api.noneIsLeft();
});

test('rejects too many open streams until clients disconnect', async () => {
  await using api = await withWorkflow();
  const open = (path: string): Promise<Response> => api.raw('GET', `${base}/workflows${path}`);
  const kinds = ['/w/log?follow=true', '/w/timeline?watch=true', '?watch=true'];
  for (let i = 0; i < 2000; i++) assert.equal((await open(kinds[i % 3] ?? '')).status, 200);
  for (const kind of kinds) {
    const refused = await open(kind);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '10');
    const { reason, details } = (await refused.json()) as { reason: string; details: object };
    assert.deepEqual([reason, details], ['TooManyRequests', { retryAfterSeconds: 10 }]);
  }
  api.hangUp();
  for (const kind of kinds) assert.equal((await open(kind)).status, 200);
});
