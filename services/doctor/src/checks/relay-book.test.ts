import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkTrial } from '@tinkerbell/platform-contract';
import { nodeRandom } from '@tinkerbell/platform-node';
import {
  acknowledge,
  hardwareNamed,
  HandClock,
  MAC,
  offer,
  settled,
  startDoctor,
} from '../testing/running-doctor.ts';
import { RelayBook, type RelayOrder } from './relay-book.ts';

const netmask = '255.255.255.0';
const networks = [{ address: '10.0.0.254', netmask }];
const account = { namespace: 'default', name: 'r1' };
const trial: NetworkTrial = {
  host: '192.0.2.4',
  ports: [
    { name: 'HTTP', asks: 'tcp', port: 7080 },
    { name: 'TFTP', asks: 'tftp', port: 69 },
    { name: 'DHCP', asks: 'dhcp', port: 67 },
  ],
  addresses: ['10.0.0.5', '10.0.0.6'],
};

function book() {
  const clock = new HandClock();
  const relays = new RelayBook({ clock, random: nodeRandom });
  const ended = new AbortController();
  const call = (answers: readonly object[] = [], who = account) =>
    relays.poll(who, { networks, answers }, ended.signal);
  return { clock, relays, call, ended };
}

type Answered = Awaited<ReturnType<RelayBook['poll']>>;

function orderIn(polled: Answered): RelayOrder {
  assert.ok(polled.ok, JSON.stringify(polled));
  return polled.orders[0] ?? assert.fail('no order');
}

test('a relay that waits gets the order, and only what was asked for counts of its answer', async () => {
  const { relays, call } = book();
  assert.equal(await relays.run('r1', trial), undefined, 'no relay is connected');
  const waiting = call();
  assert.deepEqual(
    [relays.isConnected('r1'), relays.near('10.0.0.77'), relays.near('10.0.1.1')],
    [true, ['r1'], []],
  );
  const running = relays.run('r1', trial);
  const { id, ...asked } = orderIn(await waiting);
  assert.deepEqual(asked, trial);
  void call([
    { id: 'of nobody', ports: [], holders: [] },
    {
      id,
      ports: [
        { name: 'TFTP', outcome: 'silent', reason: 'x'.repeat(5_000) },
        { name: 'HTTP', outcome: 'answered' },
        { name: 'SSH', outcome: 'answered' },
        null,
      ],
      holders: [
        { address: '10.0.0.6', mac: '52:54:00:00:00:09' },
        { address: '10.0.0.5', mac: ['no MAC'] },
        { address: '10.0.0.99', mac: '52:54:00:00:00:09' },
        7,
      ],
    },
  ]);
  const { ports, holders } = (await running) ?? assert.fail('no answer');
  const [http, tftp, dhcp] = trial.ports;
  assert.deepEqual(ports, [
    { ...http, outcome: 'answered' },
    { ...tftp, outcome: 'silent', reason: 'x'.repeat(200) },
    { ...dhcp, outcome: 'untried', reason: 'the relay has not tried it' },
  ]);
  assert.deepEqual(
    [...holders],
    [
      ['10.0.0.5', {}],
      ['10.0.0.6', { mac: '52:54:00:00:00:09' }],
    ],
  );
});

test('an order is given once, and another relay cannot answer it', async () => {
  const { relays, call, clock } = book();
  const other = { namespace: 'default', name: 'r2' };
  const waiting = call();
  const running = relays.run('r1', trial);
  const { id } = orderIn(await waiting);
  const again = call();
  const foreign = call([{ id, ports: [{ name: 'TFTP', outcome: 'answered' }], holders: [] }], other);
  await clock.advance(21);
  assert.deepEqual(
    [await again, await foreign],
    [
      { ok: true, orders: [] },
      { ok: true, orders: [] },
    ],
  );
  assert.equal(await running, undefined, 'nobody has answered in time');
});

test('a relay that calls again takes the place of its former call, and one that is gone is not connected', async () => {
  const { relays, call, clock, ended } = book();
  const first = call();
  const second = call();
  assert.deepEqual(await first, { ok: true, orders: [] });
  ended.abort();
  assert.deepEqual(await second, { ok: true, orders: [] });
  assert.equal(relays.isConnected('r1'), true, 'it may try something');
  await clock.advance(15);
  assert.deepEqual([relays.isConnected('r1'), relays.near('10.0.0.5')], [false, []]);
});

test('the account of another namespace does not get the name, and relays are limited', async () => {
  const { call, clock, ended } = book();
  void call();
  const other = { namespace: 'other', name: 'r1' };
  const taken = await call([], other);
  assert.deepEqual([taken.ok, 'kind' in taken && taken.kind], [false, 'taken']);
  assert.match('message' in taken ? taken.message : '', /default\/r1 is connected as relay r1/);
  for (let at = 2; at <= 256; at += 1) void call([], { namespace: 'default', name: `r${at}` });
  const full = await call([], { namespace: 'default', name: 'r257' });
  assert.equal('kind' in full && full.kind, 'full');
  ended.abort();
  await settled();
  await clock.advance(16);
  assert.equal((await call([], other)).ok, true);
});

test('an invalid call of a relay is refused by the field', async () => {
  const { relays } = book();
  const answer = { id: '', ports: [], holders: [] };
  for (const [body, message] of [
    [undefined, /^networks must be a list/],
    [{ networks: [] }, /^networks must be a list/],
    [{ networks: Array<object>(17).fill(networks[0] ?? {}) }, /^networks must be a list/],
    [{ networks: [{ address: 'x', netmask }] }, /^networks must have IPv4/],
    [{ networks, answers: Array.from({ length: 9 }, () => answer) }, /^answers must be/],
    [{ networks, answers: [{ id: 'x', ports: 7, holders: [] }] }, /^answers must be/],
  ] as const) {
    const polled = await relays.poll(account, body, AbortSignal.abort());
    assert.match('message' in polled ? polled.message : '', message);
  }
});

test('the relay of the network of a machine that stands still is asked, and problems go into the verdict', async () => {
  const ip = { address: '10.0.0.5', netmask };
  const machine = {
    ...hardwareNamed('m1'),
    spec: { interfaces: [{ dhcp: { mac: MAC, ip }, netboot: { allowPXE: true } }] },
  };
  await using doctor = await startDoctor({ objects: [machine], activeChecks: true });
  const { signal } = new AbortController();
  const silent = { name: 'TFTP', outcome: 'silent', reason: 'nothing within 3 s' };
  /** A call ends after 20 s, and the relay calls again. */
  const relaying = async (): Promise<void> => {
    let answers: readonly object[] = [];
    while (answers.length === 0) {
      const polled = await doctor.relays.poll(account, { networks }, signal);
      assert.ok(polled.ok);
      answers = polled.orders.map(({ id }) => ({ id, ports: [silent], holders: [] }));
    }
    void doctor.relays.poll(account, { networks, answers }, signal);
  };
  const relay = relaying();
  await settled();
  assert.deepEqual(doctor.relaysOf(machine), ['r1']);
  doctor.append(offer(), acknowledge());
  await doctor.clock.advance(80);
  await relay;
  const texts = doctor.verdicts.get('default/m1')?.evidence.map(({ text }) => text) ?? [];
  const text = 'TFTP, udp/69 of 10.0.0.1 does not answer the relay r1: nothing within 3 s';
  assert.ok(texts.includes(`checked ports: ${text}`), texts.join('\n'));
});
