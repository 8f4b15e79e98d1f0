import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { tarOf, type WrittenEntry } from '@tinkerbell/tar/testing';
import fc from 'fast-check';

import { ActionError } from '../action-error.ts';
import { quietContext, serve } from '../testing/action-run.ts';
import { ensureSegment } from './ensure-segment.ts';
import { hookFileUrl } from './hook-url.ts';
import { segmentsIn } from './offered-segments.ts';

const FILE = 'containers-0123.tar.zst';

function archiveOf(...entries: readonly WrittenEntry[]): Buffer {
  return zstdCompressSync(tarOf(entries));
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Place {
  readonly root: string;
  readonly ensure: () => Promise<void>;
}

/** A system whose initramfs lists the content, and a server that answers as given. */
async function systemWith(
  context: TestContext,
  listed: Buffer,
  answer: RequestListener,
  hookUrl?: string,
): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'segments-'));
  context.after(() => rm(root, { recursive: true }));
  const origin = await serve(context, answer);
  await mkdir(join(root, 'usr/lib/tinkerbell'), { recursive: true });
  const segment = {
    name: 'containers',
    file: FILE,
    bytes: listed.length,
    sha256: sha256(listed),
    programs: ['usr/bin/crun'],
    packages: [],
  };
  const list = JSON.stringify({ architecture: 'x86_64', segments: [segment] });
  await writeFile(join(root, 'usr/lib/tinkerbell/segments.json'), list);
  const argument = `quiet hook_url=${hookUrl ?? `${origin}/hook`} console=tty0\n`;
  const system = { root, kernelArguments: () => Promise.resolve(argument) };
  return { root, ensure: () => ensureSegment('containers', quietContext(), system) };
}

const program: WrittenEntry = { name: 'usr/bin/crun', flag: '0', content: '#!/bin/sh\n' };
const link: WrittenEntry = { name: 'usr/bin/other', flag: '2', linkName: 'crun' };

test('downloads a segment once, below the address in the kernel arguments', async (context) => {
  const content = archiveOf(program, link);
  const asked: string[] = [];
  const { root, ensure } = await systemWith(context, content, ({ url = '' }, response) => {
    asked.push(url);
    response.end(content);
  });
  await ensure();
  await ensure();
  assert.deepEqual(asked, [`/hook/${FILE}`]);
  assert.equal(await readFile(join(root, 'usr/bin/crun'), 'utf8'), '#!/bin/sh\n');
  assert.equal((await lstat(join(root, 'usr/bin/crun'))).mode & 0o7777, 0o755);
  assert.equal(await readlink(join(root, 'usr/bin/other')), 'crun');
});

test('a program that is there already is replaced, not written to', async (context) => {
  const content = archiveOf(program);
  const { root, ensure } = await systemWith(context, content, (_request, response) => response.end(content));
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  await writeFile(join(root, 'usr/bin/crun'), 'old');
  const before = (await lstat(join(root, 'usr/bin/crun'))).ino;
  await ensure();
  assert.notEqual((await lstat(join(root, 'usr/bin/crun'))).ino, before);
  assert.equal(await readFile(join(root, 'usr/bin/crun'), 'utf8'), '#!/bin/sh\n');
});

test('a broken download resumes', async (context) => {
  const content = archiveOf({ ...program, content: 'x'.repeat(50_000) });
  const ranges: (string | undefined)[] = [];
  const half = Math.floor(content.length / 2);
  const { root, ensure } = await systemWith(context, content, ({ headers }, response) => {
    ranges.push(headers.range);
    const common = { etag: '"a"', 'accept-ranges': 'bytes' };
    if (headers.range === undefined) {
      response.writeHead(200, { ...common, 'content-length': content.length });
      response.write(content.subarray(0, half), () => response.destroy());
      return;
    }
    const from = Number(/\d+/.exec(headers.range)?.[0]);
    const range = `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { ...common, 'content-range': range });
    response.end(content.subarray(from));
  });
  await ensure();
  assert.equal(ranges.length, 2);
  assert.equal((await readFile(join(root, 'usr/bin/crun'))).length, 50_000);
});

test('nothing is unpacked from a segment of another build, or a longer one', async (context) => {
  const listed = archiveOf(program);
  const other = Buffer.from(listed);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  for (const sent of [other, listed.subarray(1), Buffer.concat([listed, Buffer.from('x')])]) {
    const { root, ensure } = await systemWith(context, listed, (_request, response) => response.end(sent));
    await assert.rejects(ensure(), (error: unknown) => {
      assert.ok(error instanceof ActionError);
      assert.match(error.message, /SHA-256 is [0-9a-f]{64} instead of|has more than \d+ bytes/);
      assert.match(error.message, /Run npm run hook on the server, then restart this machine$/);
      return true;
    });
    assert.equal(existsSync(join(root, 'usr/bin')), false);
  }
});

test('a segment that the server does not have is named, with its address and the fix', async (context) => {
  const { ensure } = await systemWith(context, archiveOf(program), (_request, response) => {
    response.writeHead(404).end();
  });
  await assert.rejects(
    ensure(),
    /the segment "containers" .* http:\/\/127\.0\.0\.1:\d+\/hook\/containers-0123\.tar\.zst answered 404\. Run npm run hook/,
  );
});

test('a server that does not answer, or is not one of HTTP, is named', async (context) => {
  const other = createServer((socket) => socket.end('garbage\r\n\r\n'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  context.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  for (const [url, reason] of [
    ['http://127.0.0.1:1/hook', 'ECONNREFUSED'],
    [`http://127.0.0.1:${port}/hook`, 'Parse Error'],
  ] as const) {
    const { ensure } = await systemWith(context, archiveOf(program), () => undefined, url);
    await assert.rejects(ensure(), (error: unknown) => {
      assert.ok(error instanceof ActionError);
      assert.match(error.message, /^the segment "containers" of the in-memory OS is not available: /);
      assert.ok(error.message.includes(reason), error.message);
      return true;
    });
  }
});

test('only files and links below the root are accepted', async (context) => {
  const hostile: readonly WrittenEntry[] = [
    { name: '../outside', flag: '0' },
    { name: '/etc/passwd', flag: '0' },
    { name: 'usr/./x', flag: '0' },
    { name: 'dev/null', flag: '3' },
    { name: 'usr/bin/x', flag: '2', linkName: '/etc/shadow' },
    { name: 'usr/bin/x', flag: '2', linkName: '../../x' },
    { name: 'usr/bin/x', flag: '1', linkName: 'usr/bin/crun' },
  ];
  for (const entry of hostile) {
    const content = archiveOf(entry);
    const { root, ensure } = await systemWith(context, content, (_request, response) =>
      response.end(content),
    );
    await assert.rejects(ensure(), /the segment has /, JSON.stringify(entry));
    assert.equal(existsSync(join(root, 'run')), false, 'it is not marked as ready');
  }
});

test('what is not an archive is explained', async (context) => {
  for (const content of [Buffer.from('text'), zstdCompressSync(Buffer.alloc(700, 'x'))]) {
    const { ensure } = await systemWith(context, content, (_request, response) => response.end(content));
    await assert.rejects(ensure(), /the segment (is not a tar archive|cannot be unpacked): /);
  }
});

test('a system without segments is left alone', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'segments-'));
  context.after(() => rm(root, { recursive: true }));
  const kernelArguments = () => Promise.reject(new Error('not needed'));
  await ensureSegment('containers', quietContext(), { root, kernelArguments });
});

test('a damaged list is an error with the fix', async (context) => {
  const content = archiveOf(program);
  const { root, ensure } = await systemWith(context, content, () => undefined);
  await writeFile(join(root, 'usr/lib/tinkerbell/segments.json'), '{"segments":[{"name":"containers"}]}');
  await assert.rejects(ensure(), /segments\.json is damaged: build the in-memory OS again/);
});

test('the address comes from the last hook_url, which must be http', () => {
  const last = hookFileUrl('hook_url=http://a/hook x hook_url=http://192.0.2.1:7080/hook/', 'f.zst');
  assert.equal(last.href, 'http://192.0.2.1:7080/hook/f.zst');
  assert.throws(() => hookFileUrl('hook_url= quiet', 'f.zst'), /do not name the server/);
  assert.throws(() => hookFileUrl('quiet', 'f.zst'), /do not name the server of f\.zst: add hook_url=http:/);
  assert.throws(
    () => hookFileUrl('hook_url=file:///etc', 'f.zst'),
    /hook_url=file:\/\/\/etc must be the address/,
  );
});

test('no list leads out of the folder of the server, or has sizes without a limit', () => {
  const good = { name: 'a', file: 'a.zst', bytes: 1, sha256: '0'.repeat(64), programs: [] };
  assert.equal(segmentsIn(JSON.stringify({ segments: [good] }))?.length, 1);
  const changes = fc.oneof(
    fc.record({ file: fc.constantFrom('../a', '/a', '', 'a/b', 'a?b', '.a', 1) }),
    fc.record({ bytes: fc.constantFrom(0, -1, 1.5, 2 ** 40, '1', null) }),
    fc.record({ sha256: fc.constantFrom('', '0'.repeat(63), 'g'.repeat(64), 0) }),
    fc.record({ programs: fc.constantFrom('a', [1], {}) }),
  );
  fc.assert(
    fc.property(changes, (change) => {
      assert.equal(segmentsIn(JSON.stringify({ segments: [{ ...good, ...change }] })), undefined);
    }),
    { seed: 19 },
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      const found = segmentsIn(text);
      assert.ok(found === undefined || Array.isArray(found));
    }),
    { seed: 20 },
  );
});
