/** The registry of the real server: the conformance test of the specification, skopeo, roles, and a crash within an upload. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { installedByGo } from './go-toolchain.ts';
import { accountToken } from './account-token.ts';
import { startServer, type ServerChild } from './start-server.ts';

const run = promisify(execFile);
const conformance = await installedByGo(
  'github.com/opencontainers/distribution-spec/conformance@v0.0.0-20260831232431-97274622c111',
);
const skopeo = existsSync('/usr/bin/skopeo') ? false : 'skopeo is not installed';

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

describe('registry', () => {
  let server: ServerChild;
  let folder: string;
  const localToken = (): string => readFileSync(join(server.dataDirectory, 'local/token'), 'utf8').trim();
  const host = (): string => new URL(server.url).host;
  const basic = (token: string) => ({ authorization: `Basic ${btoa(`anyone:${token}`)}` });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tinkerbell-registry-e2e-'));
    server = await startServer();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('the conformance test passes all workflows', { skip: conformance.skip }, async () => {
    assert.ok(conformance.skip === false);
    const results = join(folder, 'results');
    const env = {
      OCI_REGISTRY: host(),
      OCI_TLS: 'disabled',
      OCI_USERNAME: 'anyone',
      OCI_PASSWORD: localToken(),
      OCI_RESULTS_DIR: results,
      OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
      OCI_API_BLOBS_DIGEST_HEADER: 'true',
      OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
      OCI_API_MANIFESTS_TAG_PARAM: 'true',
    };
    const { stdout } = await run(conformance.path, [], { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    const count = (name: string): number => Number(new RegExp(`\\b${name}\\.+: +(\\d+)`).exec(stdout)?.[1]);
    assert.deepEqual([count('FAIL'), count('Error')], [0, 0], stdout);
    assert.ok(count('Total') >= 900, stdout);
    const lines = [...stdout.matchAll(/^ {2}(.+?)\.+: +(Pass|Skip|FAIL|Error|Disabled)$/gm)];
    const notPassed = lines.filter(([, , verdict]) => verdict !== 'Pass').map(([, name]) => name);
    assert.deepEqual(notPassed, ['Sparse Manifests']);
  });

  test(
    'skopeo copies an image in both directions, and without a token it cannot',
    { skip: skopeo },
    async () => {
      const [source, target] = [join(folder, 'source'), join(folder, 'target')];
      const content = writeLayout(source);
      const name = `docker://${host()}/lab/tool:v1`;
      const credentials = `anyone:${localToken()}`;
      const push = ['copy', '--dest-tls-verify=false', `oci:${source}:v1`, name];
      await assert.rejects(() => run('skopeo', push), /unauthorized|authentication required|denied/i);
      await run('skopeo', [...push, '--dest-creds', credentials]);
      await run('skopeo', [
        'copy',
        '--src-tls-verify=false',
        '--src-creds',
        credentials,
        name,
        `oci:${target}:v1`,
      ]);
      for (const hex of content) assert.equal(sha256(readFileSync(join(target, 'blobs/sha256', hex))), hex);
      const { stdout } = await run('skopeo', [
        'list-tags',
        '--tls-verify=false',
        '--creds',
        credentials,
        `docker://${host()}/lab/tool`,
      ]);
      assert.deepEqual((JSON.parse(stdout) as { Tags: string[] }).Tags, ['v1']);
    },
  );

  test('roles decide: a viewer pulls, and cannot push or delete', async () => {
    const token = await accountToken(server, { name: 'viewer', role: 'view' });
    const ask = (method: string, path: string, headers: Record<string, string>) =>
      fetch(`${server.url}${path}`, { method, headers }).then(({ status }) => status);
    for (const headers of [basic(token), { authorization: `Bearer ${token}` }]) {
      assert.equal(await ask('GET', '/v2/', headers), 200);
      assert.equal(await ask('POST', '/v2/a/blobs/uploads/', headers), 403);
      assert.equal(await ask('DELETE', '/v2/a/manifests/v1', headers), 403);
      assert.equal(await ask('POST', '/v1/registry/gc', headers), 403);
    }
    assert.equal(await ask('GET', '/v2/', basic('wrong')), 401);
    assert.equal(await ask('GET', '/v2/', { ...basic(token), origin: 'https://evil.example' }), 403);
    const answer = await fetch(`${server.url}/v2/`);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="Tinkerbell"/);
    assert.equal(answer.status, 401);
  });

  test('a server killed within an upload has what arrived, and the client resumes', async () => {
    await using first = await startServer();
    const content = randomBytes(8 * 1024 * 1024);
    const begun = await first.request(`${first.url}/v2/big/blobs/uploads/`, { method: 'POST' });
    const location = begun.headers.get('location') ?? '';
    await sendUntil(first, location, content.subarray(0, 5 * 1024 * 1024));
    await first.kill();
    await using second = await startServer({ dataDirectory: first.dataDirectory });
    const state = await second.request(`${second.url}${location}`);
    const size = Number(/^0-(\d+)$/.exec(state.headers.get('range') ?? '')?.[1]) + 1;
    assert.ok(size > 1024 * 1024 && size < content.length, `${size} bytes arrived`);
    const rest = content.subarray(size);
    const done = await second.request(`${second.url}${location}?digest=sha256:${sha256(content)}`, {
      method: 'PUT',
      body: new Uint8Array(rest),
      headers: { 'content-range': `${size}-${content.length - 1}` },
    });
    assert.equal(done.status, 201, await done.text());
    const blob = await second.request(`${second.url}/v2/big/blobs/sha256:${sha256(content)}`);
    assert.equal(sha256(new Uint8Array(await blob.arrayBuffer())), sha256(content));
  });
});

/** Sends a part of an announced body, and resolves when the server has most of it on its disk. */
async function sendUntil(server: ServerChild, location: string, part: Uint8Array): Promise<void> {
  const token = readFileSync(join(server.dataDirectory, 'local/token'), 'utf8').trim();
  const request = httpRequest(`${server.url}${location}`, {
    method: 'PATCH',
    headers: { 'content-length': part.length * 2, authorization: `Bearer ${token}` },
  });
  request.on('error', () => undefined);
  request.write(part);
  for (;;) {
    const state = await server.request(`${server.url}${location}`);
    const last = Number((state.headers.get('range') ?? '').split('-')[1]);
    if (last + 1 >= part.length / 2) return;
  }
}

/** Writes an OCI layout with one layer, and returns the names of its blobs. */
function writeLayout(folder: string): readonly string[] {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  const written: string[] = [];
  const descriptor = (mediaType: string, bytes: Uint8Array | string, more: object = {}) => {
    const hex = sha256(bytes);
    writeFileSync(join(folder, 'blobs/sha256', hex), bytes);
    written.push(hex);
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(bytes), ...more };
  };
  const content = randomBytes(3 * 1024 * 1024);
  const diffId = `sha256:${sha256(content)}`;
  const config = { architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [diffId] } };
  const type = (name: string): string => `application/vnd.oci.image.${name}`;
  const manifest = {
    schemaVersion: 2,
    mediaType: type('manifest.v1+json'),
    config: descriptor(type('config.v1+json'), JSON.stringify(config)),
    layers: [descriptor(type('layer.v1.tar+gzip'), gzipSync(content))],
  };
  const annotations = { 'org.opencontainers.image.ref.name': 'v1' };
  const entry = descriptor(type('manifest.v1+json'), JSON.stringify(manifest), { annotations });
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [entry] }));
  return written;
}
