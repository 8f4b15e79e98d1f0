import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import fc from 'fast-check';
import {
  bytesOf,
  handClock,
  ISO_PATH,
  ownDirectory,
  PATCH,
  sourced,
  startIsoServer,
} from '../testing/iso-server.ts';
import { magicImage, patchedImage } from '../testing/iso-source.ts';
import { machine, MAC, workflow } from '../testing/rack.ts';
import type { IsoConfig } from '../index.ts';

test('our own image is served whole and patched, for any spelling of the MAC', async () => {
  const image = magicImage();
  await using server = await startIsoServer({ ownDirectory: ownDirectory(image) });
  for (const path of [ISO_PATH, `/iso/${MAC}/hook.iso`, `/iso/a/b/${MAC.toUpperCase()}/other.iso`]) {
    const response = await server.ask(path);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-length'), `${image.length}`);
    assert.deepEqual(await bytesOf(response), patchedImage(image, PATCH));
  }
});

test('every range is the slice of the whole patched image', async () => {
  const image = magicImage();
  const whole = patchedImage(image, PATCH);
  await using server = await startIsoServer({ ownDirectory: ownDirectory(image) });
  const near = fc.constantFrom(0, 1024 * 1024 - 500, 2_000_000, 2_001_024, image.length - 1024);
  const place = fc
    .tuple(near, fc.integer({ min: -1100, max: 1100 }))
    .map(([at, off]) => Math.max(0, at + off));
  await fc.assert(
    fc.asyncProperty(place, fc.integer({ min: 1, max: 3000 }), async (start, length) => {
      const response = await server.ask(ISO_PATH, {
        headers: { range: `bytes=${start}-${start + length - 1}` },
      });
      if (start >= whole.length) return assert.equal(response.status, 416);
      assert.equal(response.status, 206);
      const end = Math.min(start + length, whole.length);
      assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${whole.length}`);
      assert.equal(response.headers.get('content-length'), `${end - start}`);
      return assert.deepEqual(await bytesOf(response), whole.subarray(start, end));
    }),
    { numRuns: 200 },
  );
});

test('HEAD, suffixes, several ranges, conditions', async () => {
  const image = magicImage();
  const whole = patchedImage(image, PATCH);
  const size = whole.length;
  await using server = await startIsoServer({ ownDirectory: ownDirectory(image) });
  const head = await server.ask(ISO_PATH, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length'), head.body], [200, `${size}`, null]);
  const etag = head.headers.get('etag') ?? '';
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  const cases: [Record<string, string>, number, string | null][] = [
    [{ range: 'bytes=-1000' }, 206, `bytes ${size - 1000}-${size - 1}/${size}`],
    [{ range: `bytes=-${size * 2}` }, 206, `bytes 0-${size - 1}/${size}`],
    [{ range: 'bytes=5-' }, 206, `bytes 5-${size - 1}/${size}`],
    [{ range: 'bytes=-0' }, 416, `bytes */${size}`],
    [{ range: `bytes=${size}-` }, 416, `bytes */${size}`],
    [{ range: 'bytes=0-1,5-6' }, 200, null],
    [{ range: 'bytes=9-5' }, 200, null],
    [{ range: 'pages=1-2' }, 200, null],
    [{ range: 'bytes=-' }, 200, null],
    [{ range: 'bytes=0-9', 'if-range': etag }, 206, `bytes 0-9/${size}`],
    [{ range: 'bytes=0-9', 'if-range': '"other"' }, 200, null],
    [{ range: 'bytes=0-9', 'if-range': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 200, null],
    [{ 'if-none-match': `"x", ${etag}` }, 304, null],
  ];
  for (const [headers, status, contentRange] of cases) {
    const response = await server.ask(ISO_PATH, { method: 'HEAD', headers });
    assert.deepEqual(
      [response.status, response.headers.get('content-range')],
      [status, contentRange],
      JSON.stringify(headers),
    );
  }
  assert.equal((await server.ask(ISO_PATH, { method: 'POST' })).status, 405);
  const suffix = await bytesOf(await server.ask(ISO_PATH, { headers: { range: 'bytes=-1000' } }));
  assert.deepEqual(suffix, whole.subarray(size - 1000));
});

test('the ETag changes with the image and with the kernel arguments', async () => {
  const etags = new Set<string | null>();
  const directory = ownDirectory(magicImage());
  const etagOf = async (hardware: Hardware) => {
    await using server = await startIsoServer({ ownDirectory: directory }, { hardware: [hardware] });
    return (await server.ask(ISO_PATH, { method: 'HEAD' })).headers.get('etag');
  };
  etags.add(await etagOf(machine()));
  etags.add(await etagOf(machine()));
  assert.equal(etags.size, 1);
  etags.add(await etagOf({ ...machine(), spec: { ...machine().spec, agentID: 'other' } }));
  utimesSync(join(directory, 'hook-x86_64.iso'), 1, 1);
  etags.add(await etagOf(machine()));
  assert.equal(etags.size, 3);
});

test('refuses with the statuses of upstream, and states the reason', async () => {
  const own = { ownDirectory: ownDirectory(magicImage()) };
  const broken = machine({ ip: { address: 'x' } });
  const cases: [string, readonly Hardware[], Partial<IsoConfig>, number, RegExp][] = [
    [`/iso/${MAC}/hook.img`, [machine()], own, 404, /only <mac>\/<name>\.iso/],
    [`/iso/${MAC}/`, [machine()], own, 404, /only <mac>/],
    [`/iso/${MAC}%2Fhook.iso`, [machine()], own, 404, /only <mac>/],
    ['/iso/hook.iso', [machine()], own, 400, /no MAC address: "iso"/],
    ['/iso/zz/hook.iso', [machine()], own, 400, /no MAC address: "zz"/],
    [ISO_PATH, [], own, 404, /no Hardware has the MAC/],
    [ISO_PATH, [machine(), machine()], own, 500, /several Hardware/],
    [ISO_PATH, [broken], own, 500, /ip\.address is not an IPv4 address/],
    [
      ISO_PATH,
      [{ ...machine(), spec: { ...machine().spec, agentID: 'a b' } }],
      own,
      500,
      /^spec\.agentID: holds a space/,
    ],
    [ISO_PATH, [machine()], {}, 400, /there is no hook-x86_64\.iso/],
    [ISO_PATH, [sourced('ftp://x/y.iso')], own, 400, /sourceISO must be an http or https URL/],
    [ISO_PATH, [machine()], { upstreamUrl: 'file:///x' }, 400, /iso-upstream-url must be/],
    [ISO_PATH, [sourced('http://127.0.0.1:1/x.iso')], {}, 502, /ECONNREFUSED/],
    [ISO_PATH, [machine({ netboot: { allowPXE: false } })], own, 404, /allowPXE is not true/],
  ];
  for (const [path, hardware, config, status, message] of cases) {
    await using server = await startIsoServer(config, { hardware });
    const response = await server.ask(path);
    assert.equal(response.status, status, `${path} ${message}`);
    assert.match(await response.text(), message);
    const written = server.journal.entries.filter(({ event }) => event === 'iso-refused');
    assert.equal(written.length, path === ISO_PATH && hardware.length > 0 ? 1 : 0, `${path} ${message}`);
  }
});

test('a machine without allowPXE gets its image while a workflow boots it by virtual media', async () => {
  const hardware = [machine({ netboot: { allowPXE: false } })];
  const own = { ownDirectory: ownDirectory(magicImage()) };
  const byMode = (state: string, bootMode: string): Workflow => {
    const made = workflow(state);
    return { ...made, spec: { ...made.spec, bootOptions: { bootMode } } } as Workflow;
  };
  const cases: [Workflow, number][] = [
    [byMode('PREPARING', 'isoboot'), 200],
    [byMode('RUNNING', 'iso'), 200],
    [byMode('', 'customboot'), 200],
    [byMode('SUCCESS', 'isoboot'), 404],
    [byMode('RUNNING', 'netboot'), 404],
  ];
  for (const [made, status] of cases) {
    await using server = await startIsoServer(own, { hardware, workflows: [made] });
    assert.equal((await server.ask(ISO_PATH, { method: 'HEAD' })).status, status, JSON.stringify(made));
  }
});

test('the timeline records start, quarters and end of a mount, not its thousands of requests', async () => {
  const image = magicImage();
  const { clock, advance } = handClock();
  const hardware = [machine({ netboot: { osie: { kernelParams: ['a;b'] } } })];
  await using server = await startIsoServer({ ownDirectory: ownDirectory(image) }, { clock, hardware });
  const step = 64 * 1024;
  for (let at = 0; at < image.length; at += step) {
    await bytesOf(await server.ask(ISO_PATH, { headers: { range: `bytes=${at}-${at + step - 1}` } }));
    advance(100);
  }
  await bytesOf(await server.ask(ISO_PATH, { headers: { range: 'bytes=0-9' } }));
  advance(60_000);
  await bytesOf(await server.ask(ISO_PATH, { headers: { range: 'bytes=0-9' } }));
  advance(60_000);
  assert.deepEqual(
    server.journal.entries.map(({ machine: mac, event, message }) => [mac, event, message]),
    [
      [
        MAC,
        'iso-started',
        '192.0.2.1 reads hook-x86_64.iso, 3.1 MB; left out: spec.interfaces[0].netboot.osie.kernelParams[0]: holds ";", which the boot loader of an image would not take as text; remove it',
      ],
      [MAC, 'iso-progressed', 'ISO image 25 %: 0.9 of 3.1 MB by 13 requests in 1200 ms'],
      [MAC, 'iso-progressed', 'ISO image 50 %: 1.6 of 3.1 MB by 25 requests in 2400 ms'],
      [MAC, 'iso-progressed', 'ISO image 75 %: 2.4 of 3.1 MB by 37 requests in 3600 ms'],
      [MAC, 'iso-sent', 'ISO image sent: 3.1 of 3.1 MB by 49 requests in 4800 ms'],
      [
        MAC,
        'iso-started',
        '192.0.2.1 reads hook-x86_64.iso, 3.1 MB; left out: spec.interfaces[0].netboot.osie.kernelParams[0]: holds ";", which the boot loader of an image would not take as text; remove it',
      ],
      [MAC, 'iso-ended', 'ISO image no longer read: 0.0 of 3.1 MB by 1 requests in 0 ms'],
    ],
  );
  assert.equal(server.counters()['iso_sent_bytes_total'], image.length + 20);
});

test('a slow client costs one chunk of memory, and nothing is read ahead of it', async () => {
  const image = magicImage();
  await using server = await startIsoServer({ ownDirectory: ownDirectory(image) });
  const response = await server.ask();
  const reader = response.body?.getReader();
  let taken = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    taken += part.value.length;
    // Sent bytes are counted when the next chunk is requested, so never more than the client has accepted.
    assert.ok((server.counters()['iso_sent_bytes_total'] ?? 0) <= taken);
    assert.ok(part.value.length <= 1024 * 1024);
  }
  assert.equal(taken, image.length);
});
