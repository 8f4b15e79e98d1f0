import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import type { BmcTarget } from '../driver.ts';
import { answeringHttp } from '../testing/answering-http.ts';
import { createHomeAssistantDriver } from './home-assistant-driver.ts';

const target: BmcTarget = {
  host: 'http://ha.example:8123/',
  credentials: { username: '', password: 'token' },
  trust: { kind: 'any' },
  timeoutMs: 1000,
};

/** Time passes at once, and the waits are kept. */
function hastyClock(waits: number[]): Clock {
  const schedule = (delayMs: number, task: () => void) => {
    if (delayMs > 0) waits.push(delayMs);
    setImmediate(task);
    return () => undefined;
  };
  return { nowMs: () => 0, monotonicMs: () => 0, schedule };
}

async function opened(answer: Parameters<typeof answeringHttp>[0]) {
  const { seen, openHttp } = answeringHttp(answer);
  const waits: number[] = [];
  const driver = createHomeAssistantDriver({ clock: hastyClock(waits), openHttp });
  const options = { switchEntityID: 'switch.rack1', powerOperationDelaySeconds: 2 };
  const session = await driver.open(target, options, new AbortController().signal);
  return { session, seen, waits };
}

test('the state of the switch is the power', async () => {
  let state = 'on';
  const { session, seen } = await opened(() => ({ body: JSON.stringify({ state }) }));
  assert.equal(await session.powerState(), 'on');
  state = 'unavailable';
  assert.equal(await session.powerState(), 'unknown');
  assert.equal(seen[0]?.url, 'http://ha.example:8123/api/states/switch.rack1');
  assert.equal(seen[0]?.headers?.['authorization'], 'Bearer token');
});

test('a cycle turns the switch off, waits, and turns it on', async () => {
  const { session, seen, waits } = await opened(() => ({ body: '{"state":"on"}' }));
  await session.setPower('cycle');
  const calls = seen.slice(1).map(({ method, url, body }) => [method, new URL(url).pathname, body]);
  const body = '{"entity_id":"switch.rack1"}';
  assert.deepEqual(calls, [
    ['POST', '/api/services/switch/turn_off', body],
    ['POST', '/api/services/switch/turn_on', body],
  ]);
  assert.deepEqual(waits, [5000, 2000]);
});

test('a wrong token, an unknown entity and an unsupported operation have different codes', async () => {
  await assert.rejects(
    opened(() => ({ status: 401 })),
    { code: 'wrong-credentials' },
  );
  await assert.rejects(
    opened(() => ({ status: 404 })),
    { code: 'rejected', message: /no entity switch.rack1/ },
  );
  const { session } = await opened(() => ({ body: '{"state":"on"}' }));
  await assert.rejects(session.setPower('soft'), { code: 'unsupported' });
});
