import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipv4 } from '@tinkerbell/wire';
import { allowedIn, answerTo, ordersIn, refusedResult, type RelayOrder } from './relay-order.ts';

const netmask = ipv4('255.255.255.0');
const limits = {
  servers: [{ address: ipv4('10.0.0.1') }],
  networks: [
    { address: ipv4('192.0.2.1'), netmask },
    { address: ipv4('198.51.100.1'), netmask },
  ],
};
const tftp = { name: 'TFTP', asks: 'tftp', port: 69 } as const;
const order = (fields: Partial<RelayOrder> = {}): RelayOrder => ({
  id: 'a',
  host: '10.0.0.1',
  ports: [tftp],
  addresses: [],
  ...fields,
});

test('only addresses in the networks of clients are probed, and the address in that of the machine asks', () => {
  const addresses = ['10.0.0.9', '198.51.100.7', '8.8.8.8', 'no address'];
  assert.deepEqual(allowedIn(order({ addresses }), limits), {
    trial: { host: '10.0.0.1', ports: [tftp], addresses: ['198.51.100.7'] },
    from: '198.51.100.1',
  });
  assert.equal(allowedIn(order(), limits)?.from, '192.0.2.1');
});

test('an order about another host than a server of the relay is refused, and says so', () => {
  for (const host of ['10.0.0.2', '127.0.0.1', 'server.example', ''])
    assert.equal(allowedIn(order({ host }), limits), undefined);
  const { ports } = refusedResult(order({ host: '10.0.0.2' }), limits);
  assert.deepEqual(ports, [
    { ...tftp, outcome: 'untried', reason: 'it relays to 10.0.0.1 (--relay-server), and not to 10.0.0.2' },
  ]);
});

test('what cannot be read as an order, and what is too much, is left out', () => {
  for (const body of [undefined, [], 'x', {}, { orders: {} }, { orders: [null, { id: 1 }, { id: 'x' }] }])
    assert.deepEqual(ordersIn(body), []);
  const ports = [
    { ...tftp, port: 0 },
    { ...tftp, port: 65_536 },
    { ...tftp, asks: 'ssh' },
    ...Array.from({ length: 20 }, () => ({ ...tftp, more: 1 })),
  ];
  const addresses = [7, ...Array.from({ length: 20 }, () => '192.0.2.9')];
  const [found, ...others] = ordersIn({
    orders: Array.from({ length: 20 }, () => ({ ...order(), ports, addresses })),
  });
  assert.equal(others.length, 7);
  assert.deepEqual(
    found?.ports,
    Array.from({ length: 8 }, () => tftp),
  );
  assert.deepEqual(found?.addresses, Array<string>(8).fill('192.0.2.9'));
  assert.deepEqual(ordersIn({ orders: [order({ id: 'x'.repeat(101) })] }), []);
});

test('the answer names the order and the holders', () => {
  const holders = new Map([['192.0.2.9', { mac: '52:54:00:00:00:09' }]]);
  assert.deepEqual(answerTo(order(), { ports: [{ ...tftp, outcome: 'answered' }], holders }), {
    id: 'a',
    ports: [{ ...tftp, outcome: 'answered' }],
    holders: [{ address: '192.0.2.9', mac: '52:54:00:00:00:09' }],
  });
});
