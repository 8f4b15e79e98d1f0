/**
 * Tests which template is rendered next and on how many threads, with threads and a clock that the test
 * controls.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { createNodeLog } from '@tinkerbell/platform-node';
import { createWorkerRenderer, type RenderSettings } from './worker-renderer.ts';
import type { Renderer } from './worker-thread.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

interface Timer {
  readonly atMs: number;
  readonly task: () => void;
}

function bench(settings: RenderSettings = {}) {
  let nowMs = 0;
  const timers = new Set<Timer>();
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, task) {
      const timer = { atMs: nowMs + delayMs, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  /** The names of the templates, in the order in which they started. */
  const underWay = new Map<string, () => void>();
  const begun: string[] = [];
  let threads = 0;
  let most = 0;
  const newThread = (): Renderer => {
    threads += 1;
    most = Math.max(most, threads);
    return {
      isOver: () => false,
      started: () => Promise.resolve(),
      render({ input: { templateName } }) {
        begun.push(templateName);
        const { promise, resolve } = Promise.withResolvers<void>();
        underWay.set(templateName, resolve);
        return promise.then(() => ({ ok: true, value: [] }));
      },
      end() {
        threads -= 1;
        return Promise.resolve();
      },
    };
  };
  const renderer = createWorkerRenderer(clock, log, { newThread, ...settings });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  return {
    begun,
    renderer,
    threads: () => threads,
    most: () => most,
    put: async (name: string, namespace = name.split('-')[0] ?? '', author = 'author') => {
      void renderer.workflow({ templateName: name, text: '', hardwareMap: {} }, { namespace, author });
      await settle();
    },
    pass: async (ms: number) => {
      const untilMs = nowMs + ms;
      for (;;) {
        const next = [...timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.atMs;
        next.task();
        await settle();
      }
      nowMs = untilMs;
    },
    finish: async (name: string) => {
      underWay.get(name)?.();
      underWay.delete(name);
      await settle();
    },
    underWay: () => [...underWay.keys()],
  };
}

test('on one thread, a cheap template of another namespace follows the active expensive one', async () => {
  const { put, pass, finish, begun } = bench({ threads: 1 });
  for (let i = 0; i < 40; i += 1) await put(`slow-${i}`);
  await pass(2000);
  await put('cheap-0');
  assert.deepEqual(begun, ['slow-0']);
  await finish('slow-0');
  assert.deepEqual(begun, ['slow-0', 'cheap-0']);
  await finish('cheap-0');
  assert.deepEqual(begun, ['slow-0', 'cheap-0', 'slow-1']);
});

test('with several threads it does not wait for them', async () => {
  const { put, pass, begun, underWay } = bench({ threads: 4 });
  for (let i = 0; i < 40; i += 1) await put(`slow-${i}`, 'slow', `author ${i}`);
  await pass(1000);
  assert.equal(underWay().length, 3, 'a namespace leaves a thread to others');
  await put('cheap-0');
  await pass(100);
  assert.equal(begun.at(-1), 'cheap-0');
});

test('one author leaves room for others of the namespace', async () => {
  const { put, pass, begun, underWay } = bench({ threads: 4 });
  for (let i = 0; i < 40; i += 1) await put(`slow-${i}`, 'lab', 'one');
  await pass(1000);
  assert.equal(underWay().length, 2);
  await put('cheap-0', 'lab', 'other');
  await pass(100);
  assert.equal(begun.at(-1), 'cheap-0');
});

test('starts no thread before the first template, one for a burst of cheap ones, and ends it when all are done', async () => {
  const one = bench({ threads: 4 });
  assert.equal(one.threads(), 0);
  for (let i = 0; i < 20; i += 1) await one.put(`cheap${i % 5}-${i}`);
  for (let i = 0; i < 20; i += 1) {
    await one.pass(20);
    for (const name of one.underWay()) await one.finish(name);
  }
  assert.deepEqual([one.begun.length, one.most()], [20, 1]);
  await one.pass(10_000);
  assert.equal(one.threads(), 0);
  await one.renderer.close();
});

test('rejects templates of an author beyond the limit, and accepts those of others', async () => {
  const { renderer } = bench({ renderingsOfAuthor: 3, threads: 1 });
  const input = { templateName: 'w', text: '', hardwareMap: {} };
  const owner = { namespace: 'lab', author: 'template big' };
  const all = Array.from({ length: 4 }, () => renderer.workflow(input, owner));
  assert.deepEqual(await all[3], {
    ok: false,
    message: '3 templates of template big in namespace lab wait to be rendered',
    isBusy: true,
  });
  const other = renderer.workflow(input, { ...owner, author: 'other' });
  const first = await Promise.race([other, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
  assert.equal(first, 'waits');
});
