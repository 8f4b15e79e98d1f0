/** Registries with https and a private authority. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  clientFor,
  pullLayer,
  scriptedRegistry,
  serveFiles,
  smallImage,
  type Script,
} from './testing/scripted-registry.ts';

const HANGS = { timeout: 60_000 };
const LAYER = Buffer.from('layer');

async function httpsRegistry(
  context: TestContext,
  script: Script = serveFiles(smallImage(LAYER).files),
): Promise<{ host: string; authority: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'authorities-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const [key, certificate] = [join(directory, 'key'), join(directory, 'certificate')];
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=registry'];
  const files = ['-keyout', key, '-out', certificate, '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'pipe' });
  const authority = readFileSync(certificate, 'utf8');
  const server = createServer({ key: readFileSync(key), cert: authority }, script);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, authority };
}

test('a private authority is trusted where it is configured, and nowhere else', HANGS, async (context) => {
  const { host, authority } = await httpsRegistry(context);
  assert.ok(LAYER.equals(await pullLayer(clientFor({ authorities: authority }), host)));
  await assert.rejects(pullLayer(clientFor({}), host), /registry 127.*: self-signed certificate/);
});

test('a redirect from https to plain HTTP is refused', HANGS, async (context) => {
  const plain = await scriptedRegistry(context, serveFiles(smallImage(LAYER).files));
  const location = `http://${plain.host}/v2/a/manifests/latest`;
  const { host, authority } = await httpsRegistry(context, (_, outgoing) =>
    outgoing.writeHead(307, { location }).end(),
  );
  await assert.rejects(
    pullLayer(clientFor({ authorities: authority }), host),
    /redirects to "http:.* which is not https/,
  );
  assert.deepEqual(plain.asked, []);
});
