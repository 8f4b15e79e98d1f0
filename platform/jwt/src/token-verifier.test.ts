import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';

import type { Clock } from '@tinkerbell/platform-contract';
import { createNodeHttpClient } from '@tinkerbell/platform-node';
import { exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT, type JWK } from 'jose';

import {
  createRemoteKeys,
  createTokenSigner,
  createTokenVerifier,
  fixedKeys,
  newSigningKey,
  type Issuer,
} from './index.ts';

const ISSUER = 'https://id.example/realms/edge';
const NOW_MS = Date.UTC(2026, 10, 22);

function clockAt(ms: number): Clock & { forward(byMs: number): void } {
  let nowMs = ms;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule: () => () => undefined,
    forward: (byMs) => void (nowMs += byMs),
  };
}

async function provider(clock: Clock = clockAt(NOW_MS)) {
  const key = await newSigningKey();
  const signer = await createTokenSigner({ key, issuer: ISSUER, clock });
  const issuer: Issuer = {
    issuer: ISSUER,
    audiences: ['tinkerbell'],
    algorithms: ['ES256', 'RS256'],
    keys: fixedKeys(signer.publicKeys),
    requiredClaims: { org_id: true },
  };
  return { key, signer, issuer };
}

const claims = { sub: 'user-123', aud: 'tinkerbell', org_id: 'org-abc' };

async function verdict(token: string, issuer: Issuer, clock = clockAt(NOW_MS)): Promise<string> {
  const verified = await createTokenVerifier([issuer], clock).verify(token);
  return verified.ok ? 'ok' : verified.reason;
}

test('accepts a valid token, and returns its claims and expiry', async () => {
  const { signer, issuer } = await provider();
  const token = await signer.sign(claims, 600);
  const verified = await createTokenVerifier([issuer], clockAt(NOW_MS)).verify(token);
  assert.ok(verified.ok);
  assert.equal(verified.claims['sub'], 'user-123');
  assert.equal(verified.issuer, ISSUER);
  assert.equal(verified.expiresMs, NOW_MS + 660_000);
});

test('refuses other spellings: spaces, padding, parts, other letters, length', async () => {
  const { signer, issuer } = await provider();
  const token = await signer.sign(claims, 600);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const spoiled = [
    '',
    ` ${token}`,
    `${token}\n`,
    `${header}.${payload}`,
    `${token}.`,
    `${token}.x`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}.${signature}=`,
    `${header}.${payload}.`,
    `${header}..${signature}`,
    `${header} .${payload}.${signature}`,
    `${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+`,
    `${Buffer.from('[]').toString('base64url')}.${payload}.${signature}`,
    `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`,
  ];
  for (const one of spoiled) assert.equal(await verdict(one, issuer), 'malformed', JSON.stringify(one));
  assert.equal(await verdict(`${token}${'a'.repeat(20_000)}`, issuer), 'oversized');
});

test('a signature has one spelling: unused bits are zero', async () => {
  const { signer, issuer } = await provider();
  const token = await signer.sign(claims, 600);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.at(-1) ?? '');
  // 64 bytes are 86 characters, and the last character has four significant bits.
  const twin = `${token.slice(0, -1)}${alphabet[last ^ 1]}`;
  assert.deepEqual(Buffer.from(twin, 'base64url'), Buffer.from(token, 'base64url'));
  assert.equal(await verdict(twin, issuer), 'malformed');
});

test('refuses "none", other algorithms, and a public key used as a secret', async () => {
  const { key, signer, issuer } = await provider();
  const unsigned = new UnsecuredJWT({ ...claims }).setIssuer(ISSUER).setExpirationTime('1h').encode();
  assert.equal(await verdict(`${unsigned}AA`, issuer), 'wrong-algorithm');
  const publicText = new TextEncoder().encode(JSON.stringify(signer.publicKeys));
  const confused = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .setIssuer(ISSUER)
    .setExpirationTime('1h')
    .sign(publicText);
  assert.equal(await verdict(confused, issuer), 'wrong-algorithm');
});

test('refuses other issuers, audiences and keys, and a changed payload', async () => {
  const { signer, issuer, key } = await provider();
  const stranger = await createTokenSigner({ key, issuer: 'https://evil.example', clock: clockAt(NOW_MS) });
  assert.equal(await verdict(await stranger.sign(claims, 600), issuer), 'unknown-issuer');
  assert.equal(await verdict(await signer.sign({ ...claims, aud: 'other' }, 600), issuer), 'wrong-audience');
  const { sub, org_id } = claims;
  assert.equal(await verdict(await signer.sign({ sub, org_id }, 600), issuer), 'missing-claim');
  const other = await provider();
  assert.equal(await verdict(await other.signer.sign(claims, 600), issuer), 'unknown-key');
  const [header, , signature] = (await signer.sign(claims, 600)).split('.');
  const forged = Buffer.from(JSON.stringify({ ...claims, iss: ISSUER, exp: 9e9 })).toString('base64url');
  assert.equal(await verdict(`${header}.${forged}.${signature}`, issuer), 'bad-signature');
});

test('ignores a key that the token itself contains', async () => {
  const { issuer } = await provider();
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', jwk, jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' })
    .setIssuer(ISSUER)
    .setExpirationTime('1h')
    .sign(privateKey);
  assert.equal(await verdict(token, issuer), 'bad-signature');
});

test('allows one minute of clock difference, and refuses a token without expiry', async () => {
  const { signer, issuer, key } = await provider();
  const token = await signer.sign(claims, 600);
  const at = (seconds: number) => verdict(token, issuer, clockAt(NOW_MS + seconds * 1000));
  assert.equal(await at(-59), 'ok');
  assert.equal(await at(-61), 'not-yet-valid');
  assert.equal(await at(659), 'ok');
  assert.equal(await at(660), 'expired');
  const endless = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: key.kid ?? '' })
    .setIssuer(ISSUER)
    .sign(await importJWK(key, 'ES256'));
  assert.equal(await verdict(endless, issuer), 'missing-claim');
});

test('requires claims, with a value where one is configured', async () => {
  const { signer, issuer } = await provider();
  const without = await signer.sign({ sub: 'x', aud: 'tinkerbell' }, 600);
  assert.equal(await verdict(without, issuer), 'missing-claim');
  const strict = { ...issuer, requiredClaims: { org_id: 'org-xyz' } };
  const token = await signer.sign(claims, 600);
  assert.equal(await verdict(token, strict), 'missing-claim');
  assert.equal(await verdict(await signer.sign({ ...claims, org_id: ['a', 'org-xyz'] }, 600), strict), 'ok');
});

test('caches a verified token until it expires', async () => {
  const clock = clockAt(NOW_MS);
  const { signer, issuer } = await provider(clock);
  const verifier = createTokenVerifier([issuer], clock);
  const token = await signer.sign(claims, 600);
  const first = await verifier.verify(token);
  assert.equal(await verifier.verify(token), first, 'the same object: it was not verified again');
  assert.ok(verifier.stillHolds(first));
  assert.ok(!verifier.stillHolds({ ...first }), 'only what the verifier has returned');
  clock.forward(661_000);
  assert.ok(!verifier.stillHolds(first));
  const late = await verifier.verify(token);
  assert.equal(late.ok ? '' : late.reason, 'expired');
});

test('refuses a cached token when its key was removed, or when the keys are unavailable', async () => {
  const { signer, issuer } = await provider();
  const other = await provider();
  const sets = [signer.publicKeys, other.signer.publicKeys].map((jwks) => fixedKeys(jwks).current());
  let [version, isThere] = [1, true];
  const current = () => {
    const set = sets[version - 1];
    return set === undefined || !isThere ? undefined : { ...set, version };
  };
  const keys: Issuer['keys'] = {
    current,
    async keys() {
      const set = current();
      if (set === undefined) throw new Error('issuer unreachable');
      return set;
    },
  };
  const verifier = createTokenVerifier([{ ...issuer, keys }], clockAt(NOW_MS));
  const token = await signer.sign(claims, 600);
  const reasonOf = async () => {
    const verified = await verifier.verify(token);
    return verified.ok ? 'ok' : verified.reason;
  };
  assert.equal(await reasonOf(), 'ok');
  const verified = await verifier.verify(token);
  assert.ok(verifier.stillHolds(verified));
  version = 2;
  assert.ok(!verifier.stillHolds(verified));
  assert.equal(await reasonOf(), 'unknown-key');
  version = 1;
  assert.equal(await reasonOf(), 'ok');
  isThere = false;
  assert.ok(!verifier.stillHolds(verified));
  assert.equal(await reasonOf(), 'keys-unavailable');
  isThere = true;
  assert.equal(await reasonOf(), 'ok');
});

async function keyServer(context: TestContext) {
  const state = { body: '', requests: 0, isDown: false };
  const server = createServer((_request, response) => {
    state.requests += 1;
    response.statusCode = state.isDown ? 503 : 200;
    response.end(state.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => void server.close());
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks` };
}

test('fetches keys once, again for an unknown key but not for each, and keeps them while the issuer is unreachable', async (context) => {
  const clock = clockAt(NOW_MS);
  const { state, url } = await keyServer(context);
  const old = await provider(clock);
  const fresh = await provider(clock);
  const setOf = (...keys: JWK[]) => JSON.stringify({ keys });
  state.body = setOf(...old.signer.publicKeys.keys);
  const keys = createRemoteKeys(url, { httpClient: createNodeHttpClient(), clock, mayConnect: () => true });
  const verifier = createTokenVerifier([{ ...old.issuer, keys }], clock);
  const reasonOf = async (token: string) => {
    const verified = await verifier.verify(token);
    return verified.ok ? 'ok' : verified.reason;
  };
  const [oldToken, freshToken] = [await old.signer.sign(claims, 3600), await fresh.signer.sign(claims, 3600)];
  assert.deepEqual(await Promise.all([reasonOf(oldToken), reasonOf(oldToken)]), ['ok', 'ok']);
  assert.equal(state.requests, 1);
  assert.equal(await reasonOf(freshToken), 'unknown-key');
  assert.equal(state.requests, 1, 'it was fetched a moment ago');
  clock.forward(31_000);
  state.body = setOf(...old.signer.publicKeys.keys, ...fresh.signer.publicKeys.keys);
  assert.equal(await reasonOf(freshToken), 'ok');
  assert.equal(state.requests, 2);
  state.isDown = true;
  clock.forward(700_000);
  assert.equal(await reasonOf(oldToken), 'ok');
  const stranger = await (await provider(clock)).signer.sign(claims, 3600);
  clock.forward(31_000);
  assert.equal(await reasonOf(stranger), 'unknown-key');
});

test('reports that keys are unavailable, and retries after a while', async (context) => {
  const clock = clockAt(NOW_MS);
  const { state, url } = await keyServer(context);
  const { signer, issuer } = await provider(clock);
  const keys = createRemoteKeys(url, { httpClient: createNodeHttpClient(), clock, mayConnect: () => true });
  const verifier = createTokenVerifier([{ ...issuer, keys }], clock);
  const token = await signer.sign(claims, 3600);
  state.isDown = true;
  const verified = await verifier.verify(token);
  assert.deepEqual([verified.ok ? '' : verified.reason, state.requests], ['keys-unavailable', 1]);
  await verifier.verify(token);
  assert.equal(state.requests, 1, 'once in half a minute');
  state.isDown = false;
  state.body = 'x'.repeat(300_000);
  clock.forward(31_000);
  assert.equal((await verifier.verify(token)).ok, false);
  state.body = JSON.stringify(signer.publicKeys);
  clock.forward(31_000);
  assert.equal((await verifier.verify(token)).ok, true);
});
