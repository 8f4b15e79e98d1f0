import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import type { ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, quietContext, serve } from '@tinkerbell/action-kit/testing';

import { readSettings } from './settings.ts';
import { slurpAction } from './slurp.ts';

const directory = mkdtempSync(join(tmpdir(), 'slurp-test-'));
after(() => rmSync(directory, { recursive: true }));
const DISK = randomBytes(3 * 1024 * 1024 + 512);
const disk = join(directory, 'disk');
writeFileSync(disk, DISK);

/** Reads the form with a parser that is not ours. */
async function fileOf(request: IncomingMessage): Promise<{ name: string; bytes: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
  const form = await new Response(Buffer.concat(chunks), { headers }).formData();
  assert.deepEqual([...form.keys()], ['BootyImage']);
  const file = form.get('BootyImage');
  assert.ok(file instanceof File);
  return { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) };
}

function run(url: string, changes: Record<string, string> = {}, signal?: AbortSignal): Promise<ActionResult> {
  const environment = { SOURCE_DISK: disk, DEST_URL: url, IMG_NAME: 'golden', ...changes };
  return slurpAction.run(environment, quietContext(signal === undefined ? {} : { signal }));
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok);
  return result.error;
}

test('uploads a disk as it is, and compressed', async (context) => {
  const seen: { name: string; bytes: Buffer; length: string | undefined }[] = [];
  const address = await serve(context, (request, response) => {
    assert.equal(request.method, 'POST');
    void fileOf(request).then((file) => {
      seen.push({ ...file, length: request.headers['content-length'] });
      response.end();
    });
  });
  const device = loopDevice(context, disk);
  if (device === undefined) return;
  for (const changes of [{ SOURCE_DISK: device }, { COMPRESSED: 'true' }]) {
    const result = await run(`${address}/image`, changes);
    assert.ok(result.ok, result.ok ? '' : result.error);
  }
  assert.deepEqual(
    seen.map(({ name }) => name),
    ['golden.img', 'golden.img.gz'],
  );
  assert.ok(seen[0]!.bytes.equals(DISK));
  assert.ok(gunzipSync(seen[1]!.bytes).equals(DISK));
  assert.ok(Number(seen[0]!.length) > DISK.length);
  assert.equal(seen[1]!.length, undefined);
});

test('fails when the server refuses, also before it has read the disk', async (context) => {
  const late = await serve(context, (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(507).end('no space\n'));
  });
  assert.match(errorOf(await run(late)), /answered 507: "no space"; the image was not accepted/);
  const early = await serve(context, (_request, response) => response.writeHead(403).end());
  assert.match(errorOf(await run(early)), /answered 403|cannot upload/);
  const redirecting = await serve(context, (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(302, { Location: '/b' }).end());
  });
  assert.match(errorOf(await run(redirecting)), /answered 302/);
});

test('fails when the connection ends, and when it is stopped', async (context) => {
  const closing = await serve(context, (request) => request.socket.destroy());
  assert.match(errorOf(await run(closing)), /cannot upload to http/);
  const timeout = new AbortController();
  const silent = await serve(context, () => timeout.abort());
  assert.match(errorOf(await run(silent, {}, timeout.signal)), /stopped at the timeout/);
});

test('names every wrong variable', () => {
  assert.throws(
    () => readSettings({ SOURCE_DISK: 'sda', DEST_URL: 'x', IMG_NAME: 'a"\r\nb' }),
    /SOURCE_DISK=sda must.*DEST_URL=x must.*IMG_NAME must not have quotes/,
  );
});
