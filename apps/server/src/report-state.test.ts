import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceState } from '@tinkerbell/platform-node';
import { reportState } from './report-state.ts';

const WATCHDOG_MS = 60_000;
const nothingElse = () => new Promise(setImmediate);

function reportedServer(given: { readonly watchdogMs?: number | undefined }) {
  const reports: ServiceState[] = [];
  const stopping = new AbortController();
  const waiting: { delayMs: number; task: () => void }[] = [];
  const server = { failed: [] as string[] };
  reportState({
    manager: {
      watchdogMs: 'watchdogMs' in given ? given.watchdogMs : WATCHDOG_MS,
      notify: (state) => void reports.push(state),
    },
    clock: {
      nowMs: () => 0,
      monotonicMs: () => 0,
      schedule(delayMs, task) {
        const entry = { delayMs, task };
        waiting.push(entry);
        return () => void waiting.splice(waiting.indexOf(entry), 1);
      },
    },
    failures: async () => server.failed,
    readyText: 'serving',
    signal: stopping.signal,
  });
  return {
    server,
    stopping,
    waiting,
    /** Returns the reports since the last call, after one interval. */
    next: async (): Promise<readonly ServiceState[]> => {
      waiting.shift()?.task();
      await nothingElse();
      return reports.splice(0);
    },
    taken: () => reports.splice(0),
  };
}

test('reports that it is ready, and then twice per watchdog time that it is alive', async () => {
  const { taken, next, waiting } = reportedServer({});
  assert.deepEqual(taken(), [{ READY: '1', STATUS: 'serving' }]);
  assert.equal(waiting[0]?.delayMs, WATCHDOG_MS / 2);
  assert.deepEqual(await next(), [{ WATCHDOG: '1' }]);
  assert.deepEqual(await next(), [{ WATCHDOG: '1' }]);
});

test('a server that is not ready shows why, and is alive all the same', async () => {
  const { taken, next, server } = reportedServer({});
  taken();
  server.failed = ['boot: no socket', 'view: broken'];
  assert.deepEqual(await next(), [{ STATUS: 'not ready: boot: no socket; view: broken' }, { WATCHDOG: '1' }]);
  assert.deepEqual(await next(), [{ WATCHDOG: '1' }]);
  server.failed = [];
  assert.deepEqual(await next(), [{ STATUS: 'serving' }, { WATCHDOG: '1' }]);
});

test('without a watchdog only the status is reported', async () => {
  const { taken, next, server } = reportedServer({ watchdogMs: undefined });
  taken();
  assert.deepEqual(await next(), []);
  server.failed = ['boot: no socket'];
  assert.deepEqual(await next(), [{ STATUS: 'not ready: boot: no socket' }]);
});

test('a stop is reported once, and ends the checks', async () => {
  const { taken, next, stopping, waiting } = reportedServer({});
  taken();
  stopping.abort();
  assert.deepEqual(taken(), [{ STOPPING: '1', STATUS: 'stopping' }]);
  assert.equal(waiting.length, 0);
  assert.deepEqual(await next(), []);
});
