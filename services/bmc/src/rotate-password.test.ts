import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '@tinkerbell/resources';
import type { RedfishLies } from '@tinkerbell/sandbox/bmc';
import { ROTATE } from './rotate-password.ts';
import { redfishInMemory } from './testing/redfish-in-memory.ts';
import { SimulatedBmc } from './testing/simulated-bmc.ts';
import { startedBmcService } from './testing/started-bmc-service.ts';

const secretKey = { collection: 'secrets', namespace: 'lab', name: 'bmc-login' };

/** A Machine over Redfish. `data` is added to its Secret. */
async function started(lies: RedfishLies = {}, data: Readonly<Record<string, string>> = {}) {
  const { driver, service } = redfishInMemory(lies);
  const site = await startedBmcService(new SimulatedBmc(), (clock) => ({ gofish: driver(clock) }));
  const secret = async (): Promise<Readonly<Record<string, string>>> => {
    const object: Secret | undefined = (await site.store.get(secretKey))?.object;
    return Object.fromEntries(Object.entries(object?.data ?? {}).map(([name, value]) => [name, atob(value)]));
  };
  const change = async (kind: 'Machine' | 'Secret', changed: object): Promise<void> => {
    const key =
      kind === 'Secret'
        ? secretKey
        : { collection: 'machines.bmc.tinkerbell.org', namespace: 'lab', name: 'm' };
    const stored = await site.store.get(key);
    assert.ok(stored !== undefined);
    const object = { ...stored.object, ...changed };
    const result = await site.store.commit([
      { operation: 'update', key, object, expectedRevision: stored.revision },
    ]);
    assert.ok(result.ok);
  };
  if (Object.keys(data).length > 0) {
    const all = { username: 'admin', password: 'secret', ...data };
    await change('Secret', {
      data: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, btoa(value)])),
    });
  }
  const rotated = async () => {
    const metadata = { ...(await site.machine())?.metadata, annotations: { [ROTATE]: 'now' } };
    await change('Machine', { metadata });
    await site.start();
    await site.until(
      'it is answered',
      async () => (await site.machine())?.metadata.annotations?.[ROTATE] === undefined,
    );
    return (await site.machine())?.status?.conditions?.find(({ type }) => type === 'CredentialsRotated');
  };
  return { ...site, service, secret, rotated };
}

test('the BMC gets a new password, and the Secret has it', async () => {
  const site = await started();
  assert.equal((await site.rotated())?.status, 'True');
  const { username, password = '', ...others } = await site.secret();
  assert.deepEqual([username, others], ['admin', {}]);
  assert.match(password, /^[A-Za-z0-9]{16}$/);
  await site.until(
    'the server logs in with it',
    async () => (await site.machine())?.status?.powerState === 'off',
  );
  const timeline = JSON.stringify(await site.timeline());
  assert.match(timeline, /bmc-password-rotated/);
  assert.doesNotMatch(timeline, new RegExp(password));
  await site[Symbol.asyncDispose]();
});

test('a BMC that accepts the password and keeps the old one is caught, and the access stays', async () => {
  const site = await started({ ignoresPassword: true });
  const { status, message } = (await site.rotated()) ?? {};
  assert.equal(status, 'False');
  assert.match(message ?? '', /^not-applied: /);
  assert.equal((await site.secret())['password'], 'secret');
  await site[Symbol.asyncDispose]();
});

test('after a server that stopped in between, the next one continues with the same password', async () => {
  for (const isSet of [true, false]) {
    const site = await started({}, { 'password-next': 'Left-Password-16' });
    if (isSet) site.service.account.password = 'Left-Password-16';
    assert.equal((await site.rotated())?.status, 'True', String(isSet));
    assert.deepEqual(await site.secret(), { username: 'admin', password: 'Left-Password-16' });
    await site[Symbol.asyncDispose]();
  }
});

test('a Secret of several Machines is refused, and nothing is changed', async () => {
  const site = await started();
  await site.create('Machine', 'n', { spec: { connection: site.connection } });
  const { status, message } = (await site.rotated()) ?? {};
  assert.equal(status, 'False');
  assert.match(message ?? '', /belongs to 2 Machines \(m, n\); give each its own/);
  assert.deepEqual(await site.secret(), { username: 'admin', password: 'secret' });
  await site[Symbol.asyncDispose]();
});
