/** Events of a simulated Redfish service, from the subscription to the timeline. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpContext } from '@tinkerbell/platform-contract';
import { EVENTS_ANNOTATION } from '@tinkerbell/bmc';
import { redfishInMemory } from '../testing/redfish-in-memory.ts';
import { SimulatedBmc } from '../testing/simulated-bmc.ts';
import { startedBmcService } from '../testing/started-bmc-service.ts';

const URL_OF_SERVER = 'https://192.0.2.1:7443';
const DESTINATION = `${URL_OF_SERVER}/bmc-events/lab/m`;
const context: HttpContext = {
  peer: { address: '192.0.2.9', port: 1 },
  localAddress: '192.0.2.1',
  signal: new AbortController().signal,
};

const event = (fields: object = {}): object => ({
  EventId: '1',
  Severity: 'Critical',
  MessageId: 'Platform.1.0.FanFailed',
  Message: 'Fan 3\u001b[31m has\nfailed.',
  OriginOfCondition: { '@odata.id': '/redfish/v1/Chassis/1' },
  ...fields,
});

async function subscribedSite() {
  const bmc = redfishInMemory({});
  const plain = new SimulatedBmc();
  const drivers = (clock: Parameters<typeof bmc.driver>[0]) => ({
    ipmitool: plain.driver(),
    gofish: bmc.driver(clock),
  });
  const site = await startedBmcService(plain, drivers, URL_OF_SERVER);
  const running = await site.start();
  const { subscriptions } = bmc.service;
  const until = (): Promise<void> =>
    site.until('the BMC has a subscription', () => Promise.resolve(subscriptions.size === 1));
  await until();
  const [route] = site.receiver().routes;
  const post = async (body: unknown, path = '/bmc-events/lab/m', method = 'POST'): Promise<number> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const init = method === 'POST' ? { method, body: text } : { method };
    const answer = await route?.handle(new Request(`${URL_OF_SERVER}${path}`, init), context);
    return answer?.status ?? 0;
  };
  const credential = (): string => [...subscriptions.values()][0]?.context ?? '';
  return { site, running, plain, bmc, subscriptions, until, post, credential };
}

test('the BMC gets a credential, the Machine only its hash, and events reach the timeline', async () => {
  const { site, subscriptions, post, credential, plain } = await subscribedSite();
  await using _ = site;
  const [subscription] = subscriptions.values();
  assert.equal(subscription?.destination, DESTINATION);
  assert.match(credential(), /^[0-9a-f]{64}$/);
  const machine = await site.machine();
  assert.match(machine?.metadata.annotations?.[EVENTS_ANNOTATION] ?? '', /^[0-9a-f]{64}$/);
  assert.ok(!JSON.stringify(machine).includes(credential()));
  const body = {
    Context: credential(),
    Events: [event(), event({ Severity: 'OK', Message: 'Fan 3 works.' })],
  };
  assert.equal(await post(body), 204);
  const records = (await site.records()).filter(({ event: name }) => /^bmc-(?:alert|event)$/.test(name));
  assert.deepEqual(
    records.map(({ event: name, message }) => [name, message]),
    [
      ['bmc-alert', 'the BMC reports: Fan 3 [31m has failed.'],
      ['bmc-event', 'the BMC reports: Fan 3 works.'],
    ],
  );
  assert.deepEqual(records[0]?.details, {
    bmcMachine: 'lab/m',
    severity: 'Critical',
    messageId: 'Platform.1.0.FanFailed',
    origin: '/redfish/v1/Chassis/1',
  });
  assert.ok(!JSON.stringify(await site.records()).includes(credential()), 'no record has the credential');
  assert.equal(plain.logins, 1, 'IPMI stays the protocol of power');
});

test('events without the credential of the subscription are refused, whoever sends them', async () => {
  const { site, post, credential } = await subscribedSite();
  await using _ = site;
  await site.create('Machine', 'unsubscribed', {
    spec: { connection: { ...site.connection, host: '192.0.2.8' } },
  });
  const before = (await site.records()).length;
  const Events = [event()];
  assert.equal(await post({ Events }), 403);
  assert.equal(await post({ Context: 'f'.repeat(64), Events }), 403);
  assert.equal(await post({ Context: credential(), Events }, '/bmc-events/lab/unknown'), 404);
  assert.equal(await post({ Context: credential(), Events }, '/bmc-events/other/m'), 404);
  assert.equal(await post({ Context: credential(), Events }, '/bmc-events/lab/m/x'), 404);
  assert.equal(await post({ Context: credential(), Events }, '/bmc-events/lab/m', 'GET'), 405);
  assert.equal(await post('{'), 400);
  assert.equal(await post('['.repeat(10_000)), 400);
  assert.equal(await post(`{"Context": "${'x'.repeat(70_000)}"}`), 413);
  assert.equal((await site.records()).length, before);
});

test('a flood is accepted, and its end is dropped', async () => {
  const { site, post, credential } = await subscribedSite();
  await using _ = site;
  const Events = Array.from({ length: 100 }, () => event());
  for (let count = 0; count < 10; count += 1)
    assert.equal(await post({ Context: credential(), Events }), 204);
  const recorded = (await site.timeline()).filter(({ event: name }) => name === 'bmc-alert');
  assert.equal(recorded.length, 60);
});

test('a BMC that has forgotten its subscription gets another credential at the next check', async () => {
  const { site, subscriptions, until, post, credential } = await subscribedSite();
  await using _ = site;
  const old = credential();
  subscriptions.clear();
  await until();
  assert.notEqual(credential(), old);
  assert.equal(await post({ Context: old, Events: [event()] }), 403);
  assert.equal(await post({ Context: credential(), Events: [event()] }), 204);
});

test('a subscription stays over checks, and foreign ones stay untouched', async () => {
  const { site, subscriptions, bmc, credential } = await subscribedSite();
  await using _ = site;
  const old = credential();
  subscriptions.set('/redfish/v1/EventService/Subscriptions/x', {
    destination: 'https://192.0.2.7/',
    context: '',
  });
  const reads = (): number => bmc.service.requests.filter((one) => one.endsWith('/Subscriptions/x')).length;
  await site.until('the next check', () => Promise.resolve(reads() > 0));
  await site.until('the check ends', () => Promise.resolve(reads() > 1));
  assert.equal(subscriptions.size, 2);
  assert.equal(credential(), old);
});

test('a BMC without events is recorded and stays contactable', async () => {
  const bmc = new SimulatedBmc();
  await using site = await startedBmcService(bmc, () => ({ ipmitool: bmc.driver() }), URL_OF_SERVER);
  await site.start();
  await site.until('it is recorded', async () =>
    (await site.timeline()).some(({ event: name }) => name === 'bmc-events-unavailable'),
  );
  const conditions = (await site.machine())?.status?.conditions ?? [];
  assert.equal(conditions.find(({ type }) => type === 'Contactable')?.status, 'True');
});

test('a server without the flag removes its subscriptions and keeps foreign ones', async () => {
  const { driver, service } = redfishInMemory({});
  const foreign = { destination: 'https://192.0.2.7/', context: '' };
  service.subscriptions.set('/redfish/v1/EventService/Subscriptions/a', foreign);
  service.subscriptions.set('/redfish/v1/EventService/Subscriptions/b', {
    destination: `${URL_OF_SERVER}/bmc-events/lab/n`,
    context: 'c',
  });
  await using site = await startedBmcService(new SimulatedBmc(), (clock) => ({ gofish: driver(clock) }));
  const annotations = { [EVENTS_ANNOTATION]: 'a'.repeat(64) };
  await site.create('Machine', 'n', {
    metadata: { name: 'n', namespace: 'lab', uid: 'uid-n', annotations },
    spec: { connection: { ...site.connection, host: '192.0.2.10' } },
  });
  await site.start();
  await site.until('one is removed', () => Promise.resolve(service.subscriptions.size < 2));
  assert.deepEqual([...service.subscriptions.values()], [foreign]);
});
