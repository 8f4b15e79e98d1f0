import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastAttempts } from './last-attempts.ts';

test('forgets the agents that got an attempt longest ago', () => {
  const attempts = new LastAttempts();
  for (let index = 0; index < 20_000; index += 1) attempts.given(`agent-${index}`, 'a 1');
  attempts.given('agent-0', 'b 1');
  attempts.given('another', 'a 1');
  assert.equal(attempts.isLast('agent-0', 'a 1'), false);
  assert.equal(attempts.isLast('agent-0', 'b 1'), true);
  assert.equal(attempts.isLast('agent-1', 'a 1'), false);
  assert.equal(attempts.isLast('agent-2', 'a 1'), true);
  assert.equal(attempts.isLast('another', 'a 1'), true);
});
