import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeAgentSession } from './agent-session.ts';

test('a session is sent to the server itself and to nobody else', () => {
  const environment: Record<string, string | undefined> = {
    PATH: '/bin',
    TINKERBELL_SESSION: 'abc',
    TINKERBELL_SESSION_ORIGINS: 'http://192.0.2.1:7171 https://192.0.2.1:7272',
  };
  const session = takeAgentSession(environment);
  assert.deepEqual(environment, { PATH: '/bin' }, 'child processes inherit nothing');
  for (const [url, isOwn] of [
    ['http://192.0.2.1:7171/images/private/a', true],
    ['https://192.0.2.1:7272/images/private/a', true],
    ['http://192.0.2.1/images/private/a', false],
    ['https://192.0.2.1:7171/a', false],
    ['http://example.org/?http://192.0.2.1:7171', false],
  ] as const)
    assert.deepEqual(session.headersFor(new URL(url)), isOwn ? { 'X-Tinkerbell-Session': 'abc' } : {}, url);
});

test('without a session there is no header, whatever the origin', () => {
  assert.deepEqual(takeAgentSession({}).headersFor(new URL('data:,x')), {});
  const empty = takeAgentSession({ TINKERBELL_SESSION: 'abc', TINKERBELL_SESSION_ORIGINS: '' });
  assert.deepEqual(empty.headersFor(new URL('http://192.0.2.1/')), {});
});
