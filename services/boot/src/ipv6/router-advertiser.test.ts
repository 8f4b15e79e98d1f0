/** Answers to hosts that solicit an IPv6 router: rate and contents, with ndisc6's rdisc6 as the host. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Clock, RouterDiscovery } from '@tinkerbell/platform-contract';
import { MetricSet, samplesOf } from '@tinkerbell/platform-metrics';
import { bytesToHex } from '@tinkerbell/wire';
import { createBootMetrics } from '../metrics.ts';
import { noRouterAdvertisement, RouterAdvertiser } from './router-advertiser.ts';
import { ip, linkNamespaces, whyNoNamespaces } from '../testing/linked-namespaces.ts';
import { MAC } from '../testing/rack.ts';

test('the advertisement announces no router, no addresses, and DHCPv6 for the rest where it is enabled', () => {
  // type 134, code 0, checksum (the kernel's), hop limit 0, flags, lifetime 0, reachable time 0, retransmission timer 0
  assert.equal(bytesToHex(noRouterAdvertisement(false)), '86000000000000000000000000000000');
  assert.equal(bytesToHex(noRouterAdvertisement(true)), '86000000004000000000000000000000');
});

test('a first solicitation is answered at once, and those within three seconds share one answer', async () => {
  let now = 0;
  let due: { at: number; task: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    schedule(delayMs, task) {
      const entry = { at: now + delayMs, task };
      due.push(entry);
      return () => void (due = due.filter((each) => each !== entry));
    },
  };
  const sentAt: number[] = [];
  let ask: () => void = () => assert.fail('not open');
  let isOpen = false;
  const discovery: RouterDiscovery = {
    async open(_, onSolicitation) {
      ask = onSolicitation;
      isOpen = true;
      return { advertise: () => sentAt.push(now) > 0, close: () => void (isOpen = false) };
    },
  };
  const set = new MetricSet();
  const metrics = createBootMetrics(set);
  const config = { networkInterfaces: ['eth0'], hasDhcpv6: false };
  const advertiser = new RouterAdvertiser({ discovery, clock, config, metrics });
  await advertiser.start();
  now = 1_000;
  ask();
  for (now = 1_100; now < 3_900; now += 100) ask();
  assert.deepEqual(sentAt, [1_000]);
  assert.deepEqual(
    due.map(({ at }) => at),
    [4_000],
  );
  now = 4_000;
  due.shift()?.task();
  now = 8_000;
  ask();
  assert.deepEqual(sentAt, [1_000, 4_000, 8_000]);
  assert.deepEqual(samplesOf(set), { 'router_advertisements_total{outcome="sent"}': 3 });
  ask();
  await advertiser.stop();
  assert.deepEqual([isOpen, due], [false, []]);
});

const RDISC6 = '/usr/bin/rdisc6';

test('rdisc6 receives the answer that there is no router', { skip: whyNoNamespaces([RDISC6]) }, async () => {
  const namespaces = linkNamespaces('ra', MAC);
  const program = new URL('../testing/advertise.ts', import.meta.url).pathname;
  const server = spawn('ip', ['netns', 'exec', namespaces.server, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => server.once('close', done));
  try {
    for (const [namespace, name, address] of [
      [namespaces.server, 's0', 'fe80::1/64'],
      [namespaces.client, 'c0', 'fe80::2/64'],
    ] as const) {
      ip('-n', namespace, '-6', 'address', 'flush', 'dev', name);
      ip('-n', namespace, '-6', 'address', 'add', address, 'dev', name, 'nodad');
    }
    for await (const line of createInterface({ input: server.stdout })) if (line === 'ready') break;
    const words = ['netns', 'exec', namespaces.client, RDISC6, '--single', '--wait', '8000', 'c0'];
    const { stdout } = await promisify(execFile)('ip', words, { timeout: 20_000 });
    const valueOf = (name: string) => new RegExp(`^${name} +: +(.*?) *$`, 'm').exec(stdout)?.[1];
    assert.match(stdout, /from fe80::1/);
    assert.match(valueOf('Router lifetime') ?? '', /^0 /);
    assert.equal(valueOf('Stateful address conf.'), 'No');
    assert.equal(valueOf('Stateful other conf.'), 'Yes');
    assert.doesNotMatch(stdout, /Prefix +:/);
  } finally {
    server.kill();
    await ended;
    namespaces.remove();
  }
});
