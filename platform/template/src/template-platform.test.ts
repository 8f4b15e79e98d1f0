import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { execute, fromJson, parseTemplate } from '@tinkerbell/go-template';
import { templateFunctions } from '@tinkerbell/template';
import bcrypt from 'bcryptjs';
import { templatePlatform } from './index.ts';

const functions = templateFunctions(templatePlatform);

function rendered(template: string, data: unknown = {}): string {
  const parsed = parseTemplate('t', template, { functions });
  if (!parsed.ok) return parsed.error.text;
  const result = execute(parsed.template, fromJson(data), { missingKey: 'error' });
  return result.ok ? result.text : result.error.message;
}

// The expected outputs are those of sprig v3.3.0.
const EXACT: readonly (readonly [template: string, output: string])[] = [
  ['{{ sha1sum "abc" }}', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['{{ sha256sum "abc" }}', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['{{ sha512sum "abc" | trunc 32 }}', 'ddaf35a193617abacc417349ae204131'],
  ['{{ derivePassword 1 "long" "password" "user" "example.com" }}', 'ZedaFaxcZaso9*'],
  ['{{ derivePassword 2 "long" "password" "user" "example.com" }}', 'Fovi2@JifpTupx'],
  ['{{ derivePassword 1 "maximum" "password" "user" "example.com" }}', 'pf4zS1LjCg&LjhsZ7T2~'],
  ['{{ derivePassword 1 "medium" "password" "user" "example.com" }}', 'ZedJuz8$'],
  ['{{ derivePassword 1 "basic" "password" "user" "example.com" }}', 'pIS54PLs'],
  ['{{ derivePassword 1 "short" "password" "user" "example.com" }}', 'Zed5'],
  ['{{ derivePassword 1 "pin" "password" "user" "example.com" }}', '6685'],
  ['{{ derivePassword 1 "odd" "p" "u" "s" }}', 'cannot find password template odd'],
  ['{{ decryptAES "key" (encryptAES "key" "a secret of several blocks") }}', 'a secret of several blocks'],
  ['{{ encryptAES "k" "" }}{{ decryptAES "k" "" }}', ''],
  ['{{ decryptAES "k" "!" }}', 'error calling decryptAES: illegal base64 data at input byte 0'],
  ['{{ htpasswd "a:b" "x" }}', 'invalid username: a:b'],
  [
    '{{ bcrypt (repeat 73 "x") }}',
    'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes',
  ],
  ['{{ genPrivateKey "nope" }}', 'Unknown type nope'],
  ['{{ randInt 5 6 }}', '5'],
  ['{{ randInt 6 5 }}', 'error calling randInt: invalid argument to Intn'],
  ['{{ shuffle "zzz" }}', 'zzz'],
  ['{{ genCAWithKey "ca" 1 "x" }}', 'error calling genCAWithKey: parsing private key: no PEM data in input'],
  ['{{ buildCustomCert "?" "" }}', 'error calling buildCustomCert: unable to decode base64 certificate'],
  ['{{ buildCustomCert "eA==" "eA==" }}', 'error calling buildCustomCert: unable to decode certificate'],
  ['{{ genSelfSignedCert "c" (list "x") nil 1 }}', 'error calling genSelfSignedCert: error parsing ip: x'],
  [
    '{{ genSelfSignedCert "c" nil (list 1) 1 }}',
    'error calling genSelfSignedCert: error processing alternate dns name: 1 is not a string',
  ],
];

for (const [template, output] of EXACT) {
  test(`${template} matches sprig`, () => assert.equal(rendered(template), output));
}

test('bcrypt and htpasswd return hashes that verify', () => {
  const hash = rendered('{{ bcrypt "secret" }}');
  assert.match(hash, /^\$2a\$10\$/);
  assert.ok(bcrypt.compareSync('secret', hash));
  const [user = '', second = ''] = rendered('{{ htpasswd "joe" "secret" }}').split(':');
  assert.equal(user, 'joe');
  assert.ok(bcrypt.compareSync('secret', second));
});

const KEYS: readonly (readonly [kind: string, label: string])[] = [
  ['ecdsa', 'EC PRIVATE KEY'],
  ['ed25519', 'PRIVATE KEY'],
  ['dsa', 'DSA PRIVATE KEY'],
  ['rsa', 'RSA PRIVATE KEY'],
];

for (const [kind, label] of KEYS) {
  test(`a ${kind} key has sprig's format, and can be read again`, () => {
    const pem = rendered('{{ genPrivateKey .kind }}', { kind });
    assert.ok(pem.startsWith(`-----BEGIN ${label}-----\n`), pem.slice(0, 40));
    assert.equal(templatePlatform.keyProblem(pem), undefined);
  });
}

const SIGNED = `{{ $ca := genCAWithKey "my-ca" 365 (genPrivateKey .ca) -}}
{{ $c := genSignedCertWithKey "host" (list "10.0.0.1" "fd00::1") (list "a.example" "*.b.example") 10 $ca (genPrivateKey .leaf) -}}
{{ list $ca.Cert $c.Cert $c.Key | toJson }}`;

for (const [ca, leaf] of [
  ['ecdsa', 'ed25519'],
  ['ed25519', 'ecdsa'],
  ['rsa', 'ecdsa'],
]) {
  test(`a certificate for a key of ${leaf} is signed by an authority of ${ca}`, () => {
    const [caPem = '', pem = '', key = ''] = JSON.parse(rendered(SIGNED, { ca, leaf }).trim()) as string[];
    const [authority, certificate] = [new X509Certificate(caPem), new X509Certificate(pem)];
    assert.ok(authority.ca && !certificate.ca);
    assert.ok(authority.verify(authority.publicKey) && certificate.verify(authority.publicKey));
    assert.ok(certificate.checkIssued(authority));
    assert.equal(certificate.subject, 'CN=host');
    assert.equal(certificate.checkHost('x.b.example'), '*.b.example');
    assert.equal(certificate.checkIP('fd00::1'), 'fd00::1');
    assert.equal(certificate.checkIP('10.0.0.1'), '10.0.0.1');
    assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / 86_400_000;
    assert.equal(days, 10);
    assert.equal(templatePlatform.keyProblem(key), undefined);
  });
}

test('an authority with the key of another cannot sign', () => {
  const own = templatePlatform.generateKey('ecdsa');
  const request = { commonName: 'x', ips: [], dnsNames: [], daysValid: 1, isAuthority: true, key: own };
  const authority = templatePlatform.certify(request);
  assert.ok(authority.ok);
  const other = { certificate: authority.certificate, key: templatePlatform.generateKey('ecdsa') };
  const refused = templatePlatform.certify({ ...request, isAuthority: false, authority: other });
  assert.ok(!refused.ok);
  assert.match(refused.error, /provided PrivateKey doesn't match parent's PublicKey/);
});

test('slow functions are stopped after a few calls', () => {
  assert.match(rendered('{{ range until 100 }}{{ $_ := genPrivateKey "rsa-none" }}{{ end }}ok'), /ok/);
  const started = performance.now();
  assert.match(
    rendered('{{ range until 1000 }}{{ derivePassword 1 "pin" "p" "u" "s" }}{{ end }}'),
    /template makes values larger/,
  );
  assert.ok(performance.now() - started < 30_000);
});
