import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, createSign, createVerify, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import type { CertificateRequest } from '@tinkerbell/template';
import { certificateProblem, certify, ecdsaKey, generateKey, readKey, rsaKey } from './index.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 17, 0, 0, 999);
const DAYS_TO_2050 = 8440;
const DAYS_BACK_TO_1949 = -28_100;
const key = ecdsaKey('P-256');
const leaf: CertificateRequest = {
  commonName: 'a',
  ips: [],
  dnsNames: [],
  daysValid: 1,
  isAuthority: false,
  key,
};

function made(change: Partial<CertificateRequest>): string {
  const result = certify({ ...leaf, ...change }, NOW_MS);
  assert.ok(result.ok, result.ok ? '' : result.error);
  return result.certificate;
}

const hexOf = (pem: string): string => new X509Certificate(pem).raw.toString('hex');

test('a certificate has the extensions of Go in its order', () => {
  const usage = [
    // Key usage, critical: digitalSignature, keyEncipherment.
    '300e0603551d0f0101ff0404030205a0',
    // Extended key usage: serverAuth, clientAuth.
    '301d0603551d250416301406082b0601050507030106082b06010505070302',
    // Basic constraints, critical: not an authority, which is the default and therefore not written.
    '300c0603551d130101ff04023000',
  ].join('');
  const names = [
    // Subject alternative name: `a.example`, 10.0.0.1, fd00::1.
    '302c0603551d11042530238209612e6578616d706c65',
    '87040a000001',
    '8710fd000000000000000000000000000001',
  ].join('');
  const written = hexOf(made({ dnsNames: ['a.example'], ips: ['::ffff:10.0.0.1', 'fd00::1'] }));
  assert.ok(written.includes(usage + names), written);
  assert.ok(!hexOf(made({})).includes('551d11'), 'no names without names');
  const nameless = hexOf(made({ commonName: '', dnsNames: ['a'] }));
  assert.ok(nameless.includes('300f0603551d110101ff04053003820161'), 'the only names are critical');
});

test('an authority has the usage to sign, and an identifier that its certificates name', () => {
  const authority = made({ isAuthority: true, commonName: 'ca' });
  assert.ok(hexOf(authority).includes('300e0603551d0f0101ff0404030202a4'));
  assert.ok(hexOf(authority).includes('300f0603551d130101ff040530030101ff'));
  const [, identifier = ''] = /0603551d0e041604(14.{40})/.exec(hexOf(authority)) ?? [];
  assert.equal(identifier.length, 42);
  const signed = made({ authority: { certificate: authority, key } });
  assert.ok(hexOf(signed).includes(`0603551d23041830168014${identifier.slice(2)}`));
  assert.ok(new X509Certificate(signed).checkIssued(new X509Certificate(authority)));
});

test('years are written with two digits from 1950 to 2049, and with four before and after', () => {
  const { validFrom, validTo } = new X509Certificate(made({}));
  assert.deepEqual([validFrom, validTo], ['Nov 23 17:00:00 2026 GMT', 'Nov 24 17:00:00 2026 GMT']);
  const time = (text: string): string => Buffer.from(text).toString('hex');
  assert.ok(hexOf(made({})).includes(`170d${time('261123170000Z')}170d${time('261124170000Z')}`));
  assert.ok(hexOf(made({ daysValid: DAYS_TO_2050 })).includes(`180f${time('2050')}`));
  assert.ok(hexOf(made({ daysValid: DAYS_BACK_TO_1949 })).includes(`180f${time('1949')}`));
});

test('serial numbers are positive, have 16 bytes, and are not reused', () => {
  const serials = Array.from({ length: 50 }, () => new X509Certificate(made({})).serialNumber);
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
  assert.equal(new Set(serials).size, 50);
});

test('refuses what Go refuses, in its words', () => {
  const refused: readonly (readonly [Partial<CertificateRequest>, RegExp])[] = [
    [{ dnsNames: ['ä.example'] }, /^error creating certificate: x509: "ä.example" cannot be encoded/],
    [{ daysValid: 4_000_000 }, /^error creating certificate: cannot represent time/],
    [{ key: 'x' }, /^parsing private key: no PEM data in input$/],
    [{ key: generateKey('dsa') }, /^error creating certificate: x509: unsupported public key type: dsa$/],
    [{ authority: { certificate: 'x', key } }, /^unable to decode certificate$/],
    [{ authority: { certificate: made({}), key: rsaKey(2048) } }, /provided PrivateKey doesn't match/],
  ];
  for (const [change, message] of refused) {
    const result = certify({ ...leaf, ...change }, NOW_MS);
    assert.match(result.ok ? 'made' : result.error, message);
  }
  const damaged = made({}).replace(/^.{64}$/m, '');
  assert.match(certificateProblem(damaged) ?? '', /^error parsing certificate: decodedCert.Bytes: x509: /);
  assert.equal(certificateProblem(made({})), undefined);
});

test('a DSA key is written in a form that OpenSSL reads', () => {
  const pem = generateKey('dsa');
  assert.ok(pem.startsWith('-----BEGIN DSA PRIVATE KEY-----\n'));
  const read = readKey(pem);
  assert.ok(read.ok);
  const signature = createSign('sha256').update('x').sign(createPrivateKey(pem));
  assert.ok(createVerify('sha256').update('x').verify(createPublicKey(read.key), signature));
});
