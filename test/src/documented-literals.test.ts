/** Tests paths and names from introductions to Tinkerbell's stack against a running server. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { startServer, type ServerChild } from './start-server.ts';

const FILES = 'tinkerbell-nginx.orch-10-139-218-62.pid.infra-host.com';

let server: ServerChild;
let dataDirectory: string;
let gateway: { readonly port: number };
/** Used instead of 8080 and 7171, which other programs on this machine may have. */
let stack: readonly string[];
before(async () => {
  const ports = [await freePort(), await freePort()];
  gateway = { port: await freePort() };
  dataDirectory = await mkdtemp(join(tmpdir(), 'literals-'));
  await writeFile(join(dataDirectory, 'jwks.json'), '{"keys":[]}');
  stack = ports.map((port) => `http://127.0.0.1:${port}`);
  const flags = [
    `--http-stack-ports=${ports.join(',')}`,
    '--public-ipv4=127.0.0.1',
    '--api-anonymous=everyone',
    '--enable-gateway',
    `--gateway-domain=${FILES.slice(FILES.indexOf('.') + 1)}`,
    `--http-port=${await freePort()}`,
    `--gateway-http-port=${gateway.port}`,
    `--gateway-https-port=${await freePort()}`,
    '--gateway-jwt-issuer=https://keycloak.example.org',
    `--gateway-jwt-jwks-file=${join(dataDirectory, 'jwks.json')}`,
  ];
  server = await startServer({ flags, dataDirectory });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(dataDirectory, { recursive: true, force: true });
});

test('the ports of the stack have hook.ipxe, scripts and files, and no API', async () => {
  for (const origin of [server.url, ...stack])
    for (const path of ['/hook.ipxe', '/tink-stack/hook.ipxe']) {
      const response = await fetch(`${origin}${path}`);
      assert.equal(response.status, 200, `${origin}${path}`);
      assert.match(await response.text(), /^#!ipxe\n/);
    }
  for (const origin of stack) {
    assert.equal((await fetch(`${origin}/healthz`)).status, 200);
    for (const path of ['/apis', '/api/v1/namespaces', '/version', '/v1/jobs', '/v1/hardware', '/audit'])
      assert.equal((await server.request(`${origin}${path}`)).status, 404, path);
  }
});

/** Sends a request with the given `Host`, which fetch does not allow. */
async function atHost(host: string, port: number, path: string): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

test('GET /tink-stack/hook.ipxe at the host of the file server is a script that loads kernel and initramfs', async () => {
  const { status, body } = await atHost(FILES, gateway.port, '/tink-stack/hook.ipxe');
  assert.equal(status, 200, body);
  assert.match(body, /^#!ipxe\n[^]*vmlinuz[^]*initramfs/);
  assert.equal((await atHost(FILES, gateway.port, '/hook.ipxe')).status, 404);
  assert.equal((await atHost(FILES, gateway.port, '/tink-stack/hook.ipxe.txt')).status, 404);
});
