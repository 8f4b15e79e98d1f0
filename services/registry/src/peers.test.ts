import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS, type User } from '@tinkerbell/access';
import { SESSION_HEADER, type Authorizer, type SessionVerifier } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { ipNetwork } from '@tinkerbell/wire';
import { errorOf } from './testing/pushed-image.ts';
import { startRegistry, type BenchOptions } from './testing/registry-bench.ts';

const nobody: Authorizer = { decide: () => ({ allowed: false, reason: 'no' }), rulesOf: () => [] };
const agentSessions: SessionVerifier = {
  verify: async (session) => {
    if (session !== 'live') return { ok: false, refusal: { reason: 'expired', message: 'ended' } as never };
    return { ok: true, mac: '02:00:00:00:00:01' as never, hardware: { namespace: 'default', name: 'one' } };
  },
};
const image = `sha256:${'a'.repeat(64)}`;
const peers = { trustedProxies: [ipNetwork('192.0.2.99')] };

type Bench = Awaited<ReturnType<typeof startRegistry>>;

async function start(address = '192.0.2.1', more: BenchOptions = {}): Promise<Bench> {
  const context = { peer: { address, port: 1 }, ...more.context };
  return await startRegistry({ ...more, context, config: { anonymousPull: true, peers, ...more.config } });
}

function ask(bench: Bench, change: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ image, port: 40_000, have: [[0, 4]], receivedBytes: 7, ...change });
  return bench.call('POST', '/v1/registry/peers', { body, headers });
}

test('an answer names the other agents of the image, with the addresses of their sockets', async () => {
  await using bench = await start();
  const first = (await (await ask(bench, { address: '10.0.0.1' })).json()) as Record<string, unknown>;
  assert.deepEqual([first['place'], first['peers']], [0, []]);
  assert.match(String(first['secret']), /^[0-9a-f]{64}$/);
  const second = (await (await ask(bench, { port: 40_001 })).json()) as Record<string, unknown>;
  assert.deepEqual(second, {
    place: 0.5,
    secret: first['secret'],
    peers: [{ address: '192.0.2.1', port: 40_000, have: [[0, 4]] }],
  });
  const samples = samplesOf(bench.service.metrics);
  assert.deepEqual([samples['registry_peers'], samples['registry_peer_bytes_total']], [2, 14]);
});

test('only a trusted proxy names another address', async () => {
  for (const [socket, named] of [
    ['192.0.2.99', '198.51.100.7'],
    ['192.0.2.98', '192.0.2.98'],
  ] as const) {
    await using bench = await start(socket);
    await ask(bench, {}, { 'x-forwarded-for': '198.51.100.7' });
    const answer = (await (
      await ask(bench, { port: 40_001 }, { 'x-forwarded-for': '198.51.100.7' })
    ).json()) as {
      peers: { address: string }[];
    };
    assert.deepEqual(
      answer.peers.map(({ address }) => address),
      [named],
    );
  }
});

test('the caller needs what a pull needs', async () => {
  const user: User = ANONYMOUS;
  const options = {
    deps: { authorizer: nobody, agentSessions },
    config: { anonymousPull: false },
    context: { user },
  };
  await using bench = await start('192.0.2.1', options);
  assert.equal((await ask(bench)).status, 401);
  assert.equal((await ask(bench, {}, { [SESSION_HEADER]: 'ended' })).status, 401);
  assert.equal((await ask(bench, {}, { [SESSION_HEADER]: 'live' })).status, 200);
});

test('wrong requests are answered with the field and its limit', async () => {
  await using bench = await start();
  assert.match(await errorOf(await ask(bench, { port: 22 })), /^400 UNSUPPORTED: port: is 22; it must be/);
  assert.match(
    await errorOf(await ask(bench, { image: 'v1' })),
    /^400 UNSUPPORTED: image: "v1" is not a digest/,
  );
  assert.match(
    await errorOf(await ask(bench, { more: 'x'.repeat(9000) })),
    /^413 UNSUPPORTED: the body is larger/,
  );
  assert.equal((await bench.call('GET', '/v1/registry/peers')).status, 405);
  for (let port = 40_000; port < 40_016; port += 1) assert.equal((await ask(bench, { port })).status, 200);
  assert.match(
    await errorOf(await ask(bench, { port: 50_000 })),
    /^429 TOOMANYREQUESTS: the list of peers is full/,
  );
});

test('switched off, there is no such path', async () => {
  await using bench = await startRegistry({ config: { anonymousPull: true } });
  assert.equal((await ask(bench)).status, 404);
});
