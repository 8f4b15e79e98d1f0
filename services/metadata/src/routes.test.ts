import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EC2_VERSIONS } from '@tinkerbell/instance-metadata';
import { ipNetwork } from '@tinkerbell/wire';
import fc from 'fast-check';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { ADDRESSES, MACS, machine, startRack } from './testing/rack.ts';

test('a machine gets its own data, under every version', async () => {
  const { ask } = startRack();
  for (const version of EC2_VERSIONS) {
    for (const [index, peer] of ADDRESSES.entries()) {
      const { status, headers, body } = await ask(`/${version}/meta-data/instance-id`, { peer });
      assert.deepEqual([status, body], [200, `i-${index}`], version);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(headers.get('content-length'), '3');
    }
  }
  assert.equal((await ask('/2009-04-04/user-data')).body, '#cloud-config\nhostname: machine0\n');
  assert.equal(
    (await ask('/2009-04-04/meta-data/public-keys/0/openssh-key')).body,
    'ssh-ed25519 AAAA op@desk',
  );
  assert.equal((await ask('/2009-04-04/meta-data/tags')).body, '');
});

test('listings are for anyone, values for known machines only', async () => {
  const { ask } = startRack();
  for (const path of ['/2009-04-04', '/2009-04-04/', '/latest', '/latest/'])
    assert.deepEqual(
      (await ask(path, { peer: '192.0.2.1' })).body,
      'meta-data/\nuser-data\nvendor-data',
      path,
    );
  for (const path of [
    '/latest/user-data',
    '/latest/meta-data/iqn',
    '/latest/meta-data/public-keys',
    '/metadata',
  ]) {
    const { status, body } = await ask(path, { peer: '192.0.2.1' });
    assert.deepEqual([status, body], [404, ''], path);
  }
});

test('an invalid address is a bad request', async () => {
  const { ask } = startRack({ config: { trustedProxies: [ipNetwork('10.0.0.1')] } });
  assert.equal((await ask('/latest/user-data', { peer: '' })).status, 400);
  const headers = { 'x-forwarded-for': 'unknown' };
  const { status, body } = await ask('/latest/user-data', { peer: '10.0.0.1', headers });
  assert.deepEqual([status, body], [400, 'not an IP address: "unknown"\n']);
});

test('unknown paths and methods are refused, and a similar prefix does not match', async () => {
  const { ask } = startRack();
  for (const path of [
    '/latest/x',
    '/latest//',
    '/latest/user-data%00',
    '/latest/meta-data%2Fplan',
    '/latest/%zz',
    '/metadata/x',
  ])
    assert.deepEqual((await ask(path)).status, 404, path);
  for (const path of [
    '/latestx',
    '/metadatax',
    '/2009-04-04x/user-data',
    '/2010-01-01/',
    '/phone-homes',
    '/nocloudy',
  ])
    assert.equal((await ask(path)).status, 0, path);
  for (const path of ['/latest/user-data', '/latest/', '/metadata', '/nocloud/meta-data']) {
    const { status, headers } = await ask(path, { method: 'DELETE' });
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'], path);
  }
});

test('no path is answered 500', async () => {
  const { ask } = startRack({ config: { instanceEndpoint: true } });
  const prefix = fc.constantFrom(
    '/latest/',
    '/nocloud/',
    '/metadata/',
    '/phone-home/',
    '/tootles/instanceID/',
  );
  const tail = fc.webPath();
  await fc.assert(
    fc.asyncProperty(prefix, tail, async (start, end) => {
      const { status } = await ask(`${start}${end}`.replaceAll('//', '/'));
      assert.ok(status < 500, `${status}`);
    }),
  );
});

test('HEAD has the length', async () => {
  const { status, headers } = await startRack().ask('/latest/meta-data/instance-id', {
    method: 'HEAD',
  });
  assert.deepEqual([status, headers.get('content-length')], [200, '3']);
});

test('two Hardware with one address: neither gets data', async () => {
  const { ask } = startRack({ hardware: [machine(0), machine(1, {}, ADDRESSES[0])] });
  for (const path of [
    '/latest/user-data',
    '/metadata',
    '/nocloud/user-data',
    `/nocloud/${MACS[0]}/user-data`,
  ])
    assert.deepEqual((await ask(path)).status, 404, path);
});

test('while the view is empty the answer is to retry, not that the machine is unknown', async () => {
  const { ask, service } = startRack({ hardware: [], isReady: false });
  assert.equal((await ask('/latest/meta-data/instance-id')).status, 503);
  assert.equal((await ask(`/nocloud/${MACS[0]}/meta-data`)).status, 503);
  assert.equal(service.health().ready, false);
});

test('only a trusted proxy can name its clients', async () => {
  const { ask } = startRack({ config: { trustedProxies: [ipNetwork('10.0.0.0/8')] } });
  const idFor = async (peer: string, forwarded: string[]) => {
    const headers = forwarded.map((value): [string, string] => ['x-forwarded-for', value]);
    return (await ask('/latest/meta-data/instance-id', { peer, headers })).body;
  };
  assert.equal(await idFor('10.0.0.1', [ADDRESSES[1]]), 'i-1');
  assert.equal(await idFor('10.0.0.1', [ADDRESSES[0], ADDRESSES[1]]), 'i-1');
  assert.equal(await idFor('10.0.0.1', [`${ADDRESSES[0]}, ${ADDRESSES[1]}`, '10.0.0.2']), 'i-1');
  assert.equal(await idFor(ADDRESSES[0], [ADDRESSES[1]]), 'i-0');
});

test('NoCloud answers the machine that has the MAC, in any spelling, and this host', async () => {
  const { ask, journal } = startRack();
  const spellings = [MACS[0], '52-54-00-12-34-56', '525400123456', '5254.0012.3456'];
  for (const spelling of spellings) {
    for (const peer of [ADDRESSES[0], '127.0.0.1', '::1']) {
      const { status, body } = await ask(`/nocloud/${spelling}/user-data`, { peer });
      assert.deepEqual([status, body], [200, '#cloud-config\nhostname: machine0\n'], `${spelling} ${peer}`);
    }
  }
  assert.equal((await ask('/nocloud/user-data')).body, '#cloud-config\nhostname: machine0\n');
  assert.match((await ask(`/nocloud/${MACS[0]}/meta-data`)).body, /^instance-id: i-0\n/);
  assert.match((await ask(`/nocloud/${MACS[0]}/network-config`)).body, /^version: 2\n/);
  assert.equal((await ask(`/nocloud/${MACS[0]}/vendor-data`)).body, '#cloud-config\n{}\n');
  for (const peer of [ADDRESSES[1], '192.0.2.1']) {
    const { status, body } = await ask(`/nocloud/${MACS[0]}/user-data`, { peer });
    assert.deepEqual([status, body], [404, ''], peer);
  }
  const refusals = journal.filter(({ event }) => event === 'metadata-refused');
  assert.deepEqual(
    refusals.map(({ machine, details }) => [machine, details?.['outcome'], details?.['address']]),
    [[MACS[0], 'machine-foreign', ADDRESSES[1]]],
  );
});

test('loopback behind an untrusted proxy is not this host', async () => {
  const { ask } = startRack();
  const headers = { 'x-forwarded-for': '192.0.2.1' };
  assert.equal((await ask(`/nocloud/${MACS[0]}/user-data`, { peer: '127.0.0.1', headers })).status, 404);
  const trusting = startRack({ config: { trustedProxies: [ipNetwork('127.0.0.1')] } });
  const claimed = { 'x-forwarded-for': '127.0.0.1' };
  assert.equal(
    (await trusting.ask(`/nocloud/${MACS[0]}/user-data`, { peer: '127.0.0.1', headers: claimed })).status,
    404,
  );
});

test('NoCloud has four documents and no other paths', async () => {
  const { ask } = startRack();
  for (const path of [
    '',
    '/',
    `/${MACS[0]}`,
    `/${MACS[0]}/`,
    `/${MACS[0]}/x`,
    '/x/meta-data',
    `/${MACS[0]}/a/meta-data`,
  ])
    assert.equal((await ask(`/nocloud${path}`)).status, 404, path);
  const bare = startRack({
    hardware: [machine(0, { interfaces: [{ dhcp: { ip: { address: ADDRESSES[0] } } }] })],
  });
  assert.equal((await bare.ask('/nocloud/network-config')).status, 404);
  assert.equal((await bare.ask('/nocloud/meta-data')).status, 200);
});

test('the tree of any machine by its instance id, only when enabled', async () => {
  const path = '/tootles/instanceID/i-1/2009-04-04';
  const { ask, journal } = startRack({ config: { instanceEndpoint: true } });
  const peer = '192.0.2.1';
  assert.equal((await ask(`${path}/meta-data/instance-id`, { peer })).body, 'i-1');
  assert.equal((await ask(`${path}/`, { peer })).body, 'meta-data/\nuser-data\nvendor-data');
  assert.equal((await ask('/tootles/instanceID/i-9/latest/user-data', { peer })).status, 404);
  assert.equal((await ask('/tootles/instanceID//latest/user-data', { peer })).status, 404);
  assert.equal((await ask('/tootles/instanceID/i-1/2010-01-01/user-data', { peer })).status, 404);
  assert.deepEqual(
    journal.map(({ machine, details }) => [machine, details?.['kind']]),
    [
      [MACS[1], 'meta-data'],
      [MACS[1], 'listing'],
    ],
  );
  assert.equal((await startRack().ask(`${path}/user-data`, { peer })).status, 0);
});

test('an instance id of two Hardware, or an absent one, finds nothing', async () => {
  const metadata = { instance: { id: 'same' } };
  const hardware = [machine(0, { metadata }), machine(1, { metadata })];
  const { ask } = startRack({ hardware, config: { instanceEndpoint: true } });
  assert.equal((await ask('/tootles/instanceID/same/latest/user-data')).status, 404);
});

test('rootio gets its JSON', async () => {
  const { status, headers, body } = await startRack().ask('/metadata');
  assert.deepEqual(
    [status, headers.get('content-type'), body],
    [
      200,
      'application/json; charset=utf-8',
      '{"metadata":{"instance":{"storage":{"disks":null,"filesystems":null}}}}',
    ],
  );
});

test('the timeline has one line per minute for each kind, and every request is counted', async () => {
  const { ask, journal, clock, service } = startRack();
  const crawl = async () => {
    for (const leaf of ['meta-data/hostname', 'meta-data/tags', 'user-data', 'nothing'])
      await ask(`/latest/${leaf}`);
  };
  await crawl();
  clock.nowMs += 59_999;
  await crawl();
  const lines = () => journal.map(({ event, details }) => `${event} ${details?.['kind']}`);
  const once = ['metadata-served meta-data', 'metadata-served user-data', 'metadata-refused unknown-path'];
  assert.deepEqual(lines(), once);
  clock.nowMs += 1;
  await crawl();
  assert.deepEqual(lines(), [...once, ...once]);
  assert.ok(journal.every(({ machine, source }) => machine === MACS[0] && source === 'http'));
  assert.deepEqual(samplesOf(service.metrics), {
    'metadata_requests_total{kind="meta-data",outcome="served"}': 6,
    'metadata_requests_total{kind="user-data",outcome="served"}': 3,
    'metadata_requests_total{kind="unknown-path",outcome="path-unknown"}': 3,
  });
});

test('of a thousand machines in one second, 500 are in the timeline, and every report of a ready machine', async () => {
  const hardware = Array.from({ length: 1000 }, (_, index) => {
    const last = `${index >> 8}.${index & 255}`;
    const mac = `52:54:01:00:0${index >> 8}:${(index & 255).toString(16).padStart(2, '0')}`;
    return machine(0, { interfaces: [{ dhcp: { mac, ip: { address: `10.0.${last}` } } }] });
  });
  const { ask, journal, clock, service } = startRack({ hardware });
  const rush = async () => {
    for (const { spec } of hardware) {
      const peer = spec?.interfaces?.[0]?.dhcp?.ip?.address ?? '';
      await ask('/latest/user-data', { peer });
      await ask('/phone-home', { peer, method: 'POST' });
    }
  };
  await rush();
  const written = (event: string) => journal.filter((line) => line.event === event).length;
  assert.deepEqual([written('metadata-served'), written('machine-ready')], [500, 1000]);
  clock.nowMs += 60_000;
  await rush();
  assert.deepEqual([written('metadata-served'), written('machine-ready')], [1000, 2000]);
  const counted = samplesOf(service.metrics)['metadata_requests_total{kind="user-data",outcome="served"}'];
  assert.equal(counted, 2000);
});

test('requests of unknown clients are counted and in no timeline', async () => {
  const { ask, journal, service } = startRack();
  await ask('/latest/user-data', { peer: '192.0.2.1' });
  assert.deepEqual(journal, []);
  assert.equal(
    samplesOf(service.metrics)['metadata_requests_total{kind="user-data",outcome="machine-unknown"}'],
    1,
  );
});

test('the service ends with its signal', async () => {
  const { service } = startRack();
  const controller = new AbortController();
  await service.start(controller.signal);
  assert.equal(service.health().ready, true);
  controller.abort();
  await service.stopped();
});
