import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withOwnServer } from './own-server.ts';

const none = { credentials: [], mirrors: {}, plainHttp: [] };

test('the session is the password of the own server only', () => {
  const origins = ['http://192.0.2.1:7080', 'https://boot.example', 'not a URL'];
  assert.deepEqual(withOwnServer(none, { session: 'abc', origins, hookUrl: undefined }), {
    credentials: [
      { registry: '192.0.2.1:7080', username: 'agent-session', password: 'abc' },
      { registry: 'boot.example', username: 'agent-session', password: 'abc' },
    ],
    mirrors: {},
    plainHttp: ['192.0.2.1:7080'],
  });
});

test('the first credentials for a host are those of the operator', () => {
  const login = { registry: '192.0.2.1:7080', username: 'ci', password: 'x' };
  const settings = { ...none, credentials: [login] };
  const server = { session: 'abc', origins: ['http://192.0.2.1:7080'], hookUrl: undefined };
  const { credentials } = withOwnServer(settings, server);
  assert.deepEqual(credentials[0], login);
});

test('without a session nothing is sent, and the server of this system uses plain HTTP as it did', () => {
  const server = { session: '', origins: ['http://192.0.2.1:7080'] };
  assert.deepEqual(withOwnServer(none, { ...server, hookUrl: undefined }), none);
  assert.deepEqual(withOwnServer(none, { ...server, hookUrl: 'https://192.0.2.1/hook' }), none);
  assert.deepEqual(withOwnServer(none, { ...server, hookUrl: 'http://192.0.2.1:7080/hook' }), {
    ...none,
    plainHttp: ['192.0.2.1:7080'],
  });
});
