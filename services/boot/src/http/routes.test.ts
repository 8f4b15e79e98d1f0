import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PATCH_PLACEHOLDER } from '@tinkerbell/ipxe';
import type { NetbootSettings } from '@tinkerbell/netboot';
import { samplesOf } from '@tinkerbell/platform-metrics';
import type { View } from '@tinkerbell/store-contract';
import { ipNetwork } from '@tinkerbell/wire';
import { fixedView, machine, MAC, rackConfig, startRack, workflow } from '../testing/rack.ts';

let ipxeDirectory: string;
const binary = `MZ ${PATCH_PLACEHOLDER} end`;

const trustedProxies = [ipNetwork('10.0.0.0/8')];

before(() => {
  ipxeDirectory = mkdtempSync(join(tmpdir(), 'boot-routes-'));
  writeFileSync(join(ipxeDirectory, 'ipxe.efi'), binary);
  writeFileSync(join(ipxeDirectory, 'ipxe-arm64.efi'), 'arm64');
  writeFileSync(join(ipxeDirectory, 'notes.txt'), 'no binary');
});
after(() => rmSync(ipxeDirectory, { recursive: true }));

async function ask(
  path: string,
  options: {
    view?: View;
    method?: string;
    peer?: string;
    forwardedFor?: string;
    headers?: Record<string, string>;
    ipxePatch?: string;
    bootLocalWhenIdle?: boolean;
    mode?: NetbootSettings['mode'];
  } = {},
) {
  const base = rackConfig({ ipxeDirectory, ipxePatch: options.ipxePatch ?? '' });
  const netboot = {
    ...base.netboot,
    bootLocalWhenIdle: options.bootLocalWhenIdle ?? true,
    mode: options.mode ?? 'reservation',
  };
  const { tftp: _, ...withoutTftp } = base;
  const rack = await startRack(
    { ...withoutTftp, netboot, trustedProxies },
    options.view === undefined ? {} : { view: options.view },
  );
  const forwarded: Record<string, string> =
    options.forwardedFor === undefined ? {} : { 'x-forwarded-for': options.forwardedFor };
  const headers = { ...forwarded, ...options.headers };
  const request = new Request(`http://server${path}`, { method: options.method ?? 'GET', headers });
  const context = {
    peer: { address: options.peer ?? '192.0.2.1', port: 1 },
    localAddress: '192.0.2.2',
    signal: new AbortController().signal,
  };
  const route = rack.service.routes.find(({ prefix }) => new URL(request.url).pathname.startsWith(prefix));
  const response = (await route?.handle(request, context)) ?? new Response(null, { status: 404 });
  const body = await response.text();
  await rack.stop();
  return {
    status: response.status,
    headers: response.headers,
    body,
    journal: rack.journal.entries,
    counters: samplesOf(rack.service.metrics),
  };
}

test('a machine gets its script by any spelling of its MAC, and by its address', async () => {
  for (const spelling of [
    MAC,
    '02-00-5E-10-00-01',
    '0200.5e10.0001',
    '02005e100001',
    '02%3A00%3a5e:10:00:01',
  ]) {
    const { status, body, headers } = await ask(`/ipxe/script/${spelling}/auto.ipxe`);
    assert.equal(status, 200, spelling);
    assert.match(body, /^#!ipxe\n[^]*worker_id=02:00:5e:10:00:01/);
    assert.equal(headers.get('content-length'), `${body.length}`);
  }
  const byAddress = await ask('/ipxe/script/auto.ipxe', { peer: '192.168.77.10' });
  assert.equal(byAddress.status, 200);
  assert.deepEqual(
    byAddress.journal.map(({ event, machine, message }) => [event, machine, message]),
    [['script-served', MAC, 'iPXE script served: hook']],
  );
});

test('an unknown machine or script is not found', async () => {
  const paths = [
    '02:00:5e:10:00:ff/auto.ipxe',
    'auto.ipxe',
    `${MAC}/other.ipxe`,
    'x/auto.ipxe',
    '%zz/auto.ipxe',
    `${MAC}%2Fauto.ipxe`,
    '',
  ];
  for (const path of paths) assert.equal((await ask(`/ipxe/script/${path}`)).status, 404, path);
  assert.equal((await ask(`/ipxe/script/${'a'.repeat(65_536)}/auto.ipxe`)).status, 404);
});

test('a machine whose workflows have all ended boots its disk', async () => {
  const states: [string[], RegExp][] = [
    [[], /Tinkerbell Hook/],
    [['PENDING'], /Tinkerbell Hook/],
    [['SUCCESS', 'RUNNING'], /Tinkerbell Hook/],
    [[''], /Tinkerbell Hook/],
    [['SUCCESS'], /sanboot/],
    [['FAILED', 'TIMEOUT'], /sanboot/],
  ];
  for (const [workflows, expected] of states) {
    const view = fixedView([machine()], workflows.map(workflow));
    assert.match((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { view })).body, expected, workflows.join());
  }
});

test('a Hardware that was deleted and created again is a new machine: the old workflows do not count', async () => {
  const again = { ...machine(), metadata: { ...machine().metadata, uid: 'new' } };
  const ranOn = (state: string, hardwareUID?: string) => ({
    ...workflow(state),
    status: { state, ...(hardwareUID === undefined ? {} : { hardwareUID }) },
  });
  for (const [workflows, expected] of [
    [[ranOn('SUCCESS', 'old')], /Tinkerbell Hook/],
    [[ranOn('SUCCESS', 'new')], /sanboot/],
    [[ranOn('SUCCESS', 'old'), ranOn('SUCCESS', 'new')], /sanboot/],
    // A workflow of upstream, or from before the uid was recorded.
    [[ranOn('SUCCESS')], /sanboot/],
  ] as const) {
    const view = fixedView([again], workflows);
    assert.match((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { view })).body, expected);
  }
});

test('a machine without allowPXE boots its disk, or as upstream finds nothing', async () => {
  const view = fixedView([machine({ netboot: { allowPXE: false } })]);
  assert.match((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { view })).body, /sanboot/);
  assert.equal((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { view, bootLocalWhenIdle: false })).status, 404);
});

test('in auto-proxy mode a machine without Hardware gets the static script until its work is done', async () => {
  const mode = 'auto-proxy';
  for (const path of ['02:00:5e:10:00:ff/auto.ipxe', 'auto.ipxe']) {
    const { status, body } = await ask(`/ipxe/script/${path}`, { mode });
    assert.equal(status, 200, path);
    assert.match(body, /echo Loading the static Tinkerbell iPXE script/);
    assert.equal((await ask(`/ipxe/script/${path}`, { mode: 'proxy' })).status, 404);
  }
  const { journal } = await ask('/ipxe/script/02:00:5e:10:00:ff/auto.ipxe', { mode });
  assert.deepEqual(
    journal.map(({ event, machine, message }) => [event, machine, message]),
    [['script-served', '02:00:5e:10:00:ff', 'iPXE script served: static']],
  );
  const done = { ...fixedView([]), workflowsByAgent: () => [workflow('SUCCESS')] };
  assert.match((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { mode, view: done })).body, /sanboot/);
  assert.match((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { mode })).body, /Tinkerbell Hook/);
  const broken = fixedView([machine({ netboot: { osie: { baseURL: '/relative' } } })]);
  assert.equal((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { mode, view: broken })).status, 404);
});

test('a script with an unsafe value is an error that names the field', async () => {
  const view = fixedView([machine({ netboot: { osie: { kernelParams: ['a\nb'] } } })]);
  const { status, body } = await ask(`/ipxe/script/${MAC}/auto.ipxe`, { view });
  assert.equal(status, 500);
  assert.match(body, /spec\.interfaces\[0\]\.netboot\.osie\.kernelParams\[0\]/);
});

test('a binary is served by its name, without regard to directories, with its length and a timeline entry', async () => {
  const { status, headers, body, journal, counters } = await ask(`/ipxe/binary/x/${MAC}/ipxe.efi`);
  assert.deepEqual([status, headers.get('content-length'), body], [200, `${binary.length}`, binary]);
  assert.deepEqual(
    journal.map(({ event, machine, details }) => [event, machine, details?.['bytes']]),
    [['binary-sent', MAC, binary.length]],
  );
  assert.equal(counters?.['ipxe_binary_bytes_total'], binary.length);
});

test('a range of a binary is served, as when a download is resumed', async () => {
  const part = await ask('/ipxe/binary/ipxe.efi', { headers: { range: 'bytes=3-9' } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), `bytes 3-9/${binary.length}`);
  assert.equal(part.body, binary.slice(3, 10));
  assert.equal((await ask('/ipxe/binary/ipxe.efi', { headers: { range: 'bytes=999999-' } })).status, 416);
  const onCondition = { range: 'bytes=3-9', 'if-range': '"x"' };
  assert.equal((await ask('/ipxe/binary/ipxe.efi', { headers: onCondition })).body, binary);
});

test("upstream's name for a binary finds the one that Debian names otherwise", async () => {
  assert.equal((await ask('/ipxe/binary/snp-arm64.efi')).body, 'arm64');
});

test('autoexec.ipxe is beside the binaries', async () => {
  const { status, body } = await ask(`/ipxe/binary/${MAC}/autoexec.ipxe`);
  assert.equal(status, 200);
  assert.match(body, /^#!ipxe\n/);
});

test('HEAD has the headers without the body', async () => {
  const { status, headers, body } = await ask('/ipxe/binary/ipxe.efi', { method: 'HEAD' });
  assert.deepEqual([status, headers.get('content-length'), body], [200, `${binary.length}`, '']);
  const script = await ask(`/ipxe/script/${MAC}/auto.ipxe`, { method: 'HEAD' });
  assert.equal(script.status, 200);
});

test('the placeholder of a binary is patched, padded to the same length', async () => {
  const { body } = await ask('/ipxe/binary/ipxe.efi', { ipxePatch: 'echo patched' });
  assert.equal(body, `MZ ${'echo patched'.padEnd(PATCH_PLACEHOLDER.length)} end`);
});

test('X-Forwarded-For is used only from a trusted proxy', async () => {
  const script = '/ipxe/script/auto.ipxe';
  const proven = await ask(script, { peer: '10.1.1.1', forwardedFor: '203.0.113.7, 192.168.77.10' });
  assert.equal(proven.status, 200);
  assert.equal((await ask(script, { peer: '203.0.113.7', forwardedFor: '192.168.77.10' })).status, 404);
});

test('other methods, other names and paths that climb are refused', async () => {
  assert.equal((await ask('/ipxe/binary/ipxe.efi', { method: 'POST' })).status, 405);
  assert.equal((await ask(`/ipxe/script/${MAC}/auto.ipxe`, { method: 'DELETE' })).status, 405);
  for (const name of ['notes.txt', 'nothing.efi', '..%2fipxe.efi', 'ipxe.efi%00', '%', '']) {
    assert.equal((await ask(`/ipxe/binary/${name}`)).status, 404, name);
  }
});

test('hook.ipxe is the script of the requesting machine, or the one for every machine', async () => {
  for (const path of ['/hook.ipxe', '/tink-stack/hook.ipxe']) {
    const own = await ask(path, { peer: '192.168.77.10' });
    assert.equal(own.status, 200, path);
    assert.match(own.body, /^#!ipxe\n[^]*worker_id=02:00:5e:10:00:01/);
    const stranger = await ask(path, { peer: '192.0.2.77' });
    assert.equal(stranger.status, 200, path);
    assert.match(stranger.body, /^#!ipxe\n[^]*\$\{mac/);
    assert.match(stranger.body, /http:\/\/192\.168\.77\.1:7173/);
    assert.equal((await ask(path, { method: 'POST' })).status, 405);
    assert.equal((await ask(`${path}/x`)).status, 404);
  }
  const idle = { view: fixedView([machine()], [workflow('SUCCESS')]), peer: '192.168.77.10' };
  assert.match((await ask('/hook.ipxe', idle)).body, /sanboot/);
});
