/**
 * Tests tokens of a real OpenID provider, whose keys the gateway fetches: which clients are admitted, and
 * what the others receive.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { nodeClock } from '@tinkerbell/platform-node';
import { startIdentityProvider, type IdentityProvider } from './access/identity-provider.ts';
import { startServer, type ServerChild } from './start-server.ts';

const KEY_ID = 'provider';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = { ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' };
const folder = mkdtempSync(join(tmpdir(), 'gateway-tokens-'));
const upstream = createServer((request, response) => {
  response.end(`${String(request.headers['x-user'])} ${String(request.headers['traceparent'])}`);
});
let provider: IdentityProvider;
let server: ServerChild;
let port = 0;

before(async () => {
  provider = await startIdentityProvider(jwk);
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  port = await freePort();
  const file = join(folder, 'routes.yaml');
  writeFileSync(
    file,
    `listeners: [{name: web, address: 127.0.0.1, port: ${port}}]
routes:
  - name: guarded
    middlewares: {validateJwt: {issuer: "${provider.issuer}", jwksUrl: "${provider.issuer}/jwks", audiences: [tink], algorithms: [RS256], claimsToHeaders: {client_id: x-user}}}
    upstream: {endpoints: "127.0.0.1:${(upstream.address() as AddressInfo).port}"}
`,
  );
  server = await startServer({ flags: ['--enable-gateway', `--gateway-config=${file}`] });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(header: object, claims: object, key: KeyObject = privateKey): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

async function ask(authorization: string | undefined) {
  const headers = { 'x-user': 'root', ...(authorization === undefined ? {} : { authorization }) };
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    text: await response.text(),
  };
}

/** Returns status and message of gRPC. The HTTP status is always 200. */
async function call(authorization: string | undefined): Promise<readonly [string, string]> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/tinkerbell.API/Provision',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(authorization === undefined ? {} : { authorization }),
  });
  stream.end();
  const [head] = (await once(stream, 'response')) as [Readonly<Record<string, unknown>>];
  session.destroy();
  assert.equal(head[':status'], 200);
  return [String(head['grpc-status']), decodeURIComponent(String(head['grpc-message']))];
}

test('a token of the provider is accepted, with its claim, and starts a trace of our own', async () => {
  const { status, text } = await ask(`Bearer ${await provider.token('tink')}`);
  assert.equal(status, 200);
  assert.match(text, /^ops 00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});

test('every other token gets 401 with the reason, and status 16 of gRPC', async () => {
  const header = { alg: 'RS256', kid: KEY_ID };
  const now = Math.floor(nodeClock.nowMs() / 1000);
  const claims = { iss: provider.issuer, aud: 'tink', client_id: 'ops', exp: now + 300 };
  assert.equal((await ask(`Bearer ${signed(header, claims)}`)).status, 200);
  const good = await provider.token('tink');
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const cases: readonly (readonly [name: string, authorization: string | undefined, reason: RegExp])[] = [
    ['missing', undefined, /a token is required/],
    ['expired', `Bearer ${signed(header, { ...claims, exp: now - 300 })}`, /has expired/],
    ['without an end', `Bearer ${signed(header, { ...claims, exp: undefined })}`, /exp/],
    ['unsigned', `Bearer ${part({ alg: 'none' })}.${part(claims)}.`, /three parts/],
    [
      'unsigned, with a signature',
      `Bearer ${signed({ ...header, alg: 'none' }, claims)}`,
      /algorithm "none"/,
    ],
    ['of another algorithm', `Bearer ${signed({ ...header, alg: 'HS256' }, claims)}`, /algorithm "HS256"/],
    [
      'of another issuer',
      `Bearer ${signed(header, { ...claims, iss: 'https://else' })}`,
      /issuer "https:\/\/else"/,
    ],
    ['for another audience', `Bearer ${await provider.token('another')}`, /another audience/],
    ['signed by an unknown issuer', `Bearer ${signed(header, claims, stranger)}`, /signature/],
    ['of an unknown key', `Bearer ${signed({ ...header, kid: 'x' }, claims, stranger)}`, /no such key/],
    ['oversized', `Bearer ${signed(header, { ...claims, x: 'x'.repeat(14_000) })}`, /longer than 16384/],
    ['spaced', `Bearer ${good.replace('.', ' .')}`, /without spaces/],
    ['padded', `Bearer ${good}==`, /part 3 of the token is not base64url/],
    ['of two parts', `Bearer ${good.split('.').slice(0, 2).join('.')}`, /three parts/],
  ];
  for (const [name, authorization, reason] of cases) {
    const { status, challenge, text } = await ask(authorization);
    assert.equal(status, 401, name);
    assert.match(text, reason, name);
    assert.match(
      challenge,
      name === 'missing' ? /^Bearer$/ : /^Bearer error="invalid_token", error_description=/,
    );
    const [code, message] = await call(authorization);
    assert.equal(code, '16', name);
    assert.match(message, reason, name);
  }
});

test('the log and the metrics have the request, without the token', async () => {
  const token = await provider.token('tink');
  await ask(`Bearer ${token}`);
  await ask(undefined);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const line of [
    /gateway_requests_total\{route="guarded",code="200"\} \d/,
    /gateway_requests_total\{route="guarded",code="401"\} \d/,
    /gateway_refused_total\{route="guarded",reason="token-missing"\} \d/,
    /gateway_request_seconds_bucket\{route="guarded",le="0\.5"\} \d/,
  ])
    assert.match(metrics, line);
  const said = server.said().join('\n');
  assert.match(
    said,
    /"route":"guarded","client":"127\.0\.0\.1","method":"GET".*"status":401.*"reason":"token-missing"/,
  );
  assert.ok(!said.includes(token));
});
