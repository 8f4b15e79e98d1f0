/**
 * Tests the configurations of deploy/ in Debian's nginx and HAProxy, in front of the server: gRPC, files in
 * ranges, tokens, client addresses.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { API, ProvisionDeviceRequestSchema } from '@tinkerbell/api/provisioning';
import { nodeClock } from '@tinkerbell/platform-node';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { startHaproxy, startNginx, type Proxy } from './gateway/debian-proxies.ts';
import { startServer, type ServerChild } from './start-server.ts';

const ISSUER = 'https://issuer.example.org/realms/lab';
const HOSTS = {
  grpc: 'tinkerbell-server.edge.example.org',
  files: 'tinkerbell-nginx.edge.example.org',
} as const;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const directory = mkdtempSync(join(tmpdir(), 'behind-proxies-'));
const image = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251));
let server: ServerChild;
let grpcPort: number;

function token(claims: object = {}, header: object = {}): string {
  const exp = Math.floor(nodeClock.nowMs() / 1000) + 60;
  const parts = [
    { alg: 'RS256', ...header },
    { iss: ISSUER, aud: 'tink', exp, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const text = parts.join('.');
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

before(async () => {
  const file = (name: string) => join(directory, name);
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    file('tls.key'),
  ];
  const names = ['-subj', '/CN=edge', '-addext', 'subjectAltName=DNS:*.edge.example.org'];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-days', '2', '-out', file('tls.crt')], {
    stdio: 'pipe',
  });
  writeFileSync(
    file('tls.pem'),
    readFileSync(file('tls.crt'), 'utf8') + readFileSync(file('tls.key'), 'utf8'),
  );
  writeFileSync(file('issuer.pem'), createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
  mkdirSync(file('images'));
  writeFileSync(file('images/image.raw'), image);
  grpcPort = await freePort();
  server = await startServer({
    flags: [
      `--tink-server-bind-port=${grpcPort}`,
      `--images-dir=${file('images')}`,
      '--trusted-proxies=127.0.0.1/32',
      '--api-anonymous=everyone',
    ],
  });
  const response = await server.request(
    `${server.url}/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'tinkerbell.org/v1alpha1',
        kind: 'Hardware',
        metadata: { name: 'h' },
        spec: {
          metadata: { instance: { id: 'i', hostname: 'behind-a-proxy' } },
          interfaces: [{ dhcp: { mac: '52:54:00:00:00:09', ip: { address: '127.0.0.9' } } }],
        },
      }),
    },
  );
  assert.equal(response.status, 201, await response.text());
});

after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Returns what curl received, with the status at its end. `from` is an address of loopback. */
function curl(from: string, url: string, ...words: readonly string[]): string {
  const common = [
    '--silent',
    '--insecure',
    '--max-time',
    '20',
    '--interface',
    from,
    '--write-out',
    ' %{http_code}',
  ];
  return execFileSync('curl', [...common, ...words, url], { encoding: 'latin1', maxBuffer: 10_000_000 });
}

function files({ httpsPort }: Proxy, path: string, ...words: readonly string[]): string {
  const resolve = `${HOSTS.files}:${httpsPort}:127.0.0.1`;
  return curl('127.0.0.1', `https://${HOSTS.files}:${httpsPort}${path}`, '--resolve', resolve, ...words);
}

/** Returns status and message of gRPC, for a device that does not exist. */
async function provision(address: string, bearer?: string): Promise<readonly [number, string]> {
  const method = serviceDefinition(API).provisionDevice;
  const isDirect = bearer === undefined;
  const channel = isDirect
    ? credentials.createInsecure()
    : credentials.createSsl(readFileSync(join(directory, 'tls.crt')));
  const name = { 'grpc.ssl_target_name_override': HOSTS.grpc, 'grpc.default_authority': HOSTS.grpc };
  const client = new Client(address, channel, isDirect ? {} : name);
  const metadata = new Metadata();
  if (bearer !== undefined && bearer !== '') metadata.set('authorization', `Bearer ${bearer}`);
  const error = await new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(
      method.path,
      (value: Parameters<typeof method.requestSerialize>[0]) => method.requestSerialize(value),
      (bytes: Buffer) => method.responseDeserialize(bytes),
      create(ProvisionDeviceRequestSchema, { deviceId: 'nobody', osImage: 'none' }),
      metadata,
      { deadline: nodeClock.nowMs() + 20_000 },
      resolve,
    );
  });
  client.close();
  return [error?.code ?? 0, error?.details ?? ''];
}

for (const [name, start, hasTokens] of [
  ['nginx', startNginx, false],
  ['HAProxy', startHaproxy, true],
] as const)
  describe(`behind ${name}`, () => {
    let proxy: Proxy;
    before(async () => {
      proxy = await start({
        directory,
        grpcPort,
        httpPort: Number(new URL(server.url).port),
        issuer: ISSUER,
      });
    });
    after(() => proxy[Symbol.asyncDispose]());

    test('gRPC answers as without a proxy', async () => {
      const direct = await provision(`127.0.0.1:${grpcPort}`);
      assert.notEqual(direct[0], 0);
      assert.deepEqual(await provision(`127.0.0.1:${proxy.httpsPort}`, hasTokens ? token() : ''), direct);
    });

    test(
      'a client without a valid token is refused',
      { skip: hasTokens ? false : 'Debian’s nginx does not check tokens' },
      async () => {
        const now = Math.floor(nodeClock.nowMs() / 1000);
        const good = token();
        for (const [kind, bearer] of Object.entries({
          missing: '',
          expired: token({ exp: now - 60 }),
          'without an end': token({ exp: undefined }),
          issuer: token({ iss: 'https://else' }),
          audience: token({ aud: 'other' }),
          algorithm: token({}, { alg: 'none' }),
          signature: `${good.slice(0, -8)}AAAAAAAA`,
        }))
          assert.equal((await provision(`127.0.0.1:${proxy.httpsPort}`, bearer))[0], 16, kind);
      },
    );

    test('files: whole, in ranges, and nothing else of the server', () => {
      const whole = files(proxy, '/tink-stack/images/image.raw');
      assert.equal(whole, `${image.toString('latin1')} 200`);
      const part = files(proxy, '/tink-stack/image.raw', '--range', '1000000-1000009');
      assert.equal(part, `${image.toString('latin1', 1_000_000, 1_000_010)} 206`);
      for (const path of [
        '/apis/tinkerbell.org/v1alpha1/hardware',
        '/metrics',
        '/tink-stack/../metrics',
        '/tink-stack/%2e%2e/metrics',
        '/tink-stack/images/../../metrics',
        '/tink-stack/apis',
      ])
        assert.match(files(proxy, path, '--path-as-is'), / 40[04]$/, path);
    });

    test('metadata is that of the requesting address, whatever the client claims', () => {
      const url = `http://127.0.0.1:${proxy.metadataPort}/2009-04-04/meta-data/hostname`;
      assert.equal(curl('127.0.0.9', url), 'behind-a-proxy 200');
      assert.match(curl('127.0.0.8', url, '--header', 'X-Forwarded-For: 127.0.0.9'), / 404$/);
      assert.match(curl('127.0.0.9', `http://127.0.0.1:${proxy.metadataPort}/metrics`), / 404$/);
    });
  });
