import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { createNodeLog } from '@tinkerbell/platform-node';
import { Calls } from './calls.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

/** A client that takes one answer at a time. */
function slowCall() {
  const call = new EventEmitter();
  return Object.assign(call, {
    request: {},
    getPeer: () => '127.0.0.1:1',
    write: () => {
      setImmediate(() => call.emit('drain'));
      return false;
    },
    end: () => void call.emit('end'),
  });
}

test('a stream to a slow client leaves no listener behind at each answer', async () => {
  const call = slowCall();
  const names = ['drain', 'cancelled', 'close'];
  const counts = (): number[] => names.map((name) => call.listenerCount(name));
  const calls = new Calls(log, new AbortController().signal);
  let before: number[] = [];
  const handler = calls.serverStream<object, number>('Count', async (_request, out) => {
    before = counts();
    for (let i = 0; i < 30; i++) await out.send(i);
  });
  handler(call as never);
  await once(call, 'end');
  assert.deepEqual(counts(), before);
});
