import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeClock } from '@tinkerbell/platform-node';
import type { BmcTarget } from '../driver.ts';
import { answeringHttp } from '../testing/answering-http.ts';
import { createRpcDriver } from './rpc-driver.ts';

const target: BmcTarget = {
  host: '192.0.2.9',
  credentials: { username: '', password: '' },
  trust: { kind: 'any' },
  timeoutMs: 1000,
};
const options = { consumerURL: 'http://127.0.0.1:8080/rpc', hmacKeys: { sha256: ['key'] } };

async function opened(answer: Parameters<typeof answeringHttp>[0]) {
  const { seen, openHttp } = answeringHttp(answer);
  const driver = createRpcDriver({ clock: nodeClock, openHttp });
  const session = await driver.open(target, options, new AbortController().signal);
  const calls = () =>
    seen.map(({ body = '' }) => (({ method, params }) => ({ method, params }))(JSON.parse(body)));
  return { session, calls, seen };
}

test('each operation is one signed call of upstream’s methods', async () => {
  const { session, calls, seen } = await opened(({ body = '' }) =>
    body.includes('getPowerState') ? { body: '{"result":"On"}' } : {},
  );
  assert.equal(await session.powerState(), 'on');
  await session.setPower('cycle');
  await session.setBootDevice?.({ device: 'pxe', persistent: false, efiBoot: true });
  await session.setVirtualMedia?.('http://192.0.2.1/a.iso');
  await session.setVirtualMedia?.(undefined);
  assert.deepEqual(calls(), [
    { method: 'ping', params: undefined },
    { method: 'getPowerState', params: undefined },
    { method: 'setPowerState', params: { state: 'cycle' } },
    { method: 'setBootDevice', params: { device: 'pxe', persistent: false, efiBoot: true } },
    { method: 'setVirtualMedia', params: { mediaUrl: 'http://192.0.2.1/a.iso', kind: 'CD' } },
    { method: 'setVirtualMedia', params: { mediaUrl: '', kind: 'CD' } },
  ]);
  assert.ok(
    seen.every(({ headers }) => /^sha256=[0-9a-f]{64}$/.test(headers?.['X-Rufio-Signature-256'] ?? '')),
  );
});

const failures: readonly (readonly [string, ReturnType<Parameters<typeof answeringHttp>[0]>, RegExp])[] = [
  [
    'an error of the service',
    { body: '{"error":{"code":7,"message":"no such machine"}}' },
    /rejected: .*: 7: no such machine/,
  ],
  ['another status', { status: 500, body: 'oops' }, /rejected: 127.0.0.1:8080 answered 500/],
  ['no right', { status: 401 }, /wrong-credentials/],
  ['an overloaded service', { status: 503 }, /busy/],
  ['a page instead of JSON', { body: '<html>' }, /invalid-answer: .*no JSON/],
  ['a redirect', { status: 307, location: 'http://192.0.2.66/' }, /redirected: .*to http:\/\/192.0.2.66\//],
];

for (const [name, answer, expected] of failures) {
  test(`${name} is a failure with its code`, async () => {
    const failed = await opened(() => answer).catch((error: { code: string; message: string }) => error);
    assert.ok('code' in failed);
    assert.match(`${failed.code}: ${failed.message}`, expected);
  });
}

test('what the protocol does not have is unsupported', async () => {
  const { session } = await opened(() => ({}));
  await assert.rejects(session.setPower('soft'), { code: 'unsupported' });
});
