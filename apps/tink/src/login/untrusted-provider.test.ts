/** Logins at a provider whose answers are wrong: each is refused, with words for a person. */
import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Clock } from '@tinkerbell/platform-contract';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { loginByCode } from './code-flow.ts';
import { loginByDevice } from './device-flow.ts';
import { describeProvider } from './provider-description.ts';
import type { GivenTokens } from './token-answer.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const reach = { signal: new AbortController().signal };
/** Pauses are a thousand times as short. */
const clock: Clock = {
  ...nodeClock,
  schedule: (delayMs, task) => nodeClock.schedule(delayMs / 1000, task),
};

type Fields = Readonly<Record<string, unknown>>;

/** What the provider answers differently from a good one. */
interface Fault {
  readonly description?: Fields;
  readonly claims?: Fields;
  readonly header?: Fields;
  readonly key?: typeof privateKey;
  readonly token?: Fields;
  readonly device?: Fields;
  /** Instead of the description. */
  readonly text?: string;
}

let server: Server;
let issuer: string;
let fault: Fault = {};

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function idToken(nonce: string | undefined): string {
  const nowSeconds = Math.floor(nodeClock.nowMs() / 1000);
  const times = { iat: nowSeconds, exp: nowSeconds + 300 };
  const claims = {
    iss: issuer,
    aud: 'tink',
    sub: 'ann',
    ...times,
    ...(nonce ? { nonce } : {}),
    ...fault.claims,
  };
  const signed = `${encoded({ alg: 'RS256', kid: 'k', ...fault.header })}.${encoded(claims)}`;
  const signature = createSign('sha256')
    .update(signed)
    .sign(fault.key ?? privateKey, 'base64url');
  return `${signed}.${signature}`;
}

function answerTo(path: string, nonce: string | undefined): Fields {
  const device = {
    device_code: 'd',
    user_code: 'u',
    verification_uri: 'https://login.example.org/',
    expires_in: 60,
  };
  const token = { access_token: randomUUID(), token_type: 'Bearer', id_token: idToken(nonce) };
  const answers: Readonly<Record<string, Fields>> = {
    '/.well-known/openid-configuration': {
      issuer,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      authorization_endpoint: `${issuer}/auth`,
      device_authorization_endpoint: `${issuer}/device`,
      ...fault.description,
    },
    '/device': { ...device, ...fault.device },
    '/token': { ...token, ...fault.token },
    '/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] },
  };
  return answers[path] ?? {};
}

let nonce: string | undefined;

before(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    nonce = searchParams.get('nonce') ?? nonce;
    const text = pathname.startsWith('/.well-known') ? fault.text : undefined;
    response.setHeader('content-type', 'application/json');
    response.end(text ?? JSON.stringify(answerTo(pathname, nonce)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function byDevice(differs: Fault = {}): Promise<GivenTokens> {
  fault = differs;
  nonce = undefined;
  const provider = await describeProvider(issuer, 'tink', reach);
  return loginByDevice({ provider, scope: 'openid', clock, show() {} });
}

/** Goes back to the listener with what `change` makes of the address. */
async function byCode(differs: Fault = {}, change: (redirect: URL) => void = () => {}): Promise<GivenTokens> {
  fault = differs;
  const provider = await describeProvider(issuer, 'tink', reach);
  const goBack = (page: string): void => {
    const { searchParams } = new URL(page);
    const redirect = new URL(searchParams.get('redirect_uri') ?? '');
    redirect.searchParams.set('state', searchParams.get('state') ?? '');
    redirect.searchParams.set('code', 'c');
    change(redirect);
    void fetch(redirect);
  };
  return loginByCode({ provider, scope: 'openid', clock: nodeClock, random: nodeRandom, show: goBack });
}

test('accepts a good provider in both flows', async () => {
  assert.equal((await byDevice()).person, 'ann');
  assert.equal((await byCode()).person, 'ann');
});

const FAULTS: readonly (readonly [name: string, fault: Fault, message: RegExp])[] = [
  ['signed by another key', { key: stranger }, /invalid answer: .*signature/],
  ['signed with no algorithm', { header: { alg: 'none' } }, /invalid answer: .*alg/],
  ['signed with the public key as a secret', { header: { alg: 'HS256' } }, /invalid answer: .*alg/],
  ['for another client', { claims: { aud: 'other' } }, /invalid answer: .*aud/],
  ['of another issuer', { claims: { iss: 'https://login.example.org' } }, /invalid answer: .*iss/],
  ['given to another client', { claims: { azp: 'other', aud: ['tink', 'other'] } }, /invalid answer: .*azp/],
  ['that ended two hours ago', { claims: { iat: 0, exp: 1 } }, /clock of this machine is \d+ h ahead/],
  ['of the future', { claims: { iat: 9e9, exp: 9.1e9 } }, /clock of this machine is \d+ h behind/],
];
for (const [name, differs, message] of FAULTS)
  test(`rejects an ID token ${name}`, async () => {
    await assert.rejects(byDevice(differs), message);
  });

test('rejects a token of another login, and a missing one', async () => {
  await assert.rejects(byCode({ claims: { nonce: 'other' } }), /invalid answer: .*nonce/);
  await assert.rejects(byDevice({ token: { id_token: undefined } }), /returned no ID token/);
});

test('a redirect that names another issuer, or another login, changes nothing', async () => {
  const others: ((redirect: URL) => void)[] = [
    ({ searchParams }) => searchParams.set('iss', 'https://login.example.org'),
    ({ searchParams }) => searchParams.set('state', 'guessed'),
  ];
  const statuses: Promise<number>[] = [];
  for (const change of others) {
    const given = await byCode({}, (redirect) => {
      const wrong = new URL(redirect);
      change(wrong);
      statuses.push(fetch(wrong).then(({ status }) => status));
    });
    assert.equal(given.person, 'ann');
  }
  assert.deepEqual(await Promise.all(statuses), [400, 400]);
});

test('rejects metadata of another issuer, without TLS, too large, or in another format', async () => {
  const descriptions: readonly (readonly [Fault, RegExp])[] = [
    [
      { description: { issuer: 'https://login.example.org' } },
      /belongs to the issuer "https:\/\/login.example.org"/,
    ],
    [
      { description: { token_endpoint: 'http://login.example.org/' } },
      /token_endpoint: .* is not an https URL/,
    ],
    [{ description: { jwks_uri: 'http://login.example.org/' } }, /jwks_uri: .* is not an https URL/],
    [{ description: { jwks_uri: undefined } }, /has no jwks_uri/],
    [{ text: '<html>' }, /is not that of an identity provider \(200\)/],
    [{ text: `{"x":"${'x'.repeat(1_100_000)}"}` }, /cannot reach .*larger than 1048576 bytes/],
  ];
  for (const [differs, message] of descriptions) await assert.rejects(byDevice(differs), message);
});

test('rejects a device login without a code, and logins without an endpoint', async () => {
  await assert.rejects(byDevice({ device: { user_code: undefined } }), /invalid answer: .*user_code/);
  await assert.rejects(
    byDevice({ description: { device_authorization_endpoint: undefined } }),
    /does not support device logins/,
  );
  await assert.rejects(
    byCode({ description: { authorization_endpoint: undefined } }),
    /does not support browser logins/,
  );
});
