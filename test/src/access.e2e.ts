/**
 * Tests what users may do, with Debian's kubectl, tink, certificates and a real OpenID provider against the
 * running server.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { withCacheLock } from '@tinkerbell/hook';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { makeCertificates } from './access/certificates.ts';
import { startIdentityProvider, type IdentityProvider } from './access/identity-provider.ts';
import { installedKubectl, kubectlCache } from './installed-kubectl.ts';
import { startServer, type ServerChild } from './start-server.ts';

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), 'tinkerbell-access-'));
const certificate = makeCertificates(home);
const tinkMain = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
let kubectlPath = '';
let server: ServerChild;
let provider: IdentityProvider;
let https = '';

interface Ended {
  readonly out: string;
  readonly err: string;
}

async function ended(file: string, words: readonly string[]): Promise<Ended> {
  const env = { HOME: home, PATH: process.env['PATH'], TINKERBELL_DATA_DIR: server.dataDirectory };
  return run(file, words, { env }).then(
    ({ stdout: out, stderr: err }) => ({ out, err }),
    ({ stdout: out, stderr: err }: { stdout: string; stderr: string }) => ({ out, err }),
  );
}

/**
 * `how`: options with a token or a certificate, which kubectl sends over TLS only. Empty: the server's own
 * kubeconfig.
 */
function kubectl(how: readonly string[], ...words: string[]): Promise<Ended> {
  const tls = ['--server', https, '--certificate-authority', certificate('ca.crt')];
  const place = how.length === 0 ? ['--kubeconfig', join(server.dataDirectory, 'kubeconfig')] : tls;
  return ended(kubectlPath, [...place, ...how, '--cache-dir', join(home, 'cache'), ...words]);
}

function tink(...words: string[]): Promise<Ended> {
  return ended(process.execPath, [tinkMain, '--server', server.url, ...words]);
}

async function tokenOf(...words: string[]): Promise<string> {
  const { out, err } = await tink('token', 'create', ...words);
  assert.match(out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/, err);
  return out.trim();
}

/** Returns status and message of the API for this Authorization header. */
async function asked(authorization: string): Promise<readonly [number, string]> {
  const url = `${server.url}/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware`;
  const response = await fetch(url, { headers: { authorization } });
  return [response.status, ((await response.json()) as { message?: string }).message ?? ''];
}

before(async () => {
  kubectlPath = await withCacheLock(kubectlCache, installedKubectl);
  provider = await startIdentityProvider();
  const port = await freePort();
  https = `https://127.0.0.1:${port}`;
  server = await startServer({
    flags: [
      `--https-port=${port}`,
      `--tls-cert-file=${certificate('server.crt')}`,
      `--tls-key-file=${certificate('server.key')}`,
      `--client-ca-file=${certificate('ca.crt')}`,
      `--oidc-issuer-url=${provider.issuer}`,
      '--oidc-client-id=tinkerbell',
    ],
  });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

test('a user with the role view lists and does not delete', async () => {
  const how = ['--token', await tokenOf('looker', '--role', 'view')];
  assert.match((await kubectl(how, 'get', 'hardware')).err, /No resources found/);
  assert.match(
    (await kubectl(how, 'delete', 'hardware', 'h')).err,
    /Forbidden.*"system:serviceaccount:default:looker" cannot delete resource "hardware" in API group "tinkerbell\.org" in the namespace "default"/,
  );
  assert.equal((await kubectl(how, 'auth', 'can-i', 'list', 'hardware')).out, 'yes\n');
  assert.match((await kubectl(how, 'auth', 'can-i', 'delete', 'hardware')).out, /^no\b/);
});

test('a role in one namespace ends there, and gives no other', async () => {
  const how = ['--token', await tokenOf('builder', '--role', 'edit', '-n', 'lab', '--create-namespace')];
  const secret = ['create', 'secret', 'generic', 's', '--from-literal', 'a=b'];
  assert.match((await kubectl(how, '-n', 'lab', ...secret)).out, /created/);
  assert.match((await kubectl(how, '-n', 'default', ...secret)).err, /forbidden/);
  const binding = ['create', 'rolebinding', 'x', '--clusterrole', 'admin', '--user', 'x', '-n', 'lab'];
  assert.match((await kubectl(how, ...binding)).err, /forbidden/);
});

test('a client certificate names user and groups, and one of an unknown authority is refused', async () => {
  await kubectl([], 'create', 'clusterrolebinding', 'lookers', '--clusterrole', 'view', '--group', 'lookers');
  const tls = (name: string) => [
    `--client-certificate=${certificate(`${name}.crt`)}`,
    `--client-key=${certificate(`${name}.key`)}`,
  ];
  assert.match((await kubectl(tls('user'), 'get', 'hardware')).err, /No resources found/);
  assert.match((await kubectl(tls('user'), 'delete', 'hardware', 'h')).err, /User "ann" cannot delete/);
  assert.match((await kubectl(tls('stranger'), 'get', 'hardware')).err, /logged in|Unauthorized/);
});

test('a token of the identity provider brings its roles', async () => {
  const how = ['--token', await provider.token('tinkerbell')];
  assert.match((await kubectl(how, 'get', 'hardware')).err, /User "oidc:ops" cannot list/);
  const binding = ['create', 'clusterrolebinding', 'operators', '--clusterrole', 'edit'];
  await kubectl([], ...binding, '--group', 'oidc:operators');
  assert.match((await kubectl(how, 'get', 'hardware')).err, /No resources found/);
  const [code, message] = await asked(`Bearer ${await provider.token('another')}`);
  assert.deepEqual([code, message], [401, 'the token is invalid: the token is for another audience']);
});

test('roles of the realm and of our client are groups, and those of another client are not', async () => {
  const how = ['--token', await provider.token('tinkerbell')];
  const can = async (...words: string[]) =>
    (await kubectl(how, 'auth', 'can-i', ...words)).out.trim().split(' ')[0];
  const bind = (name: string, role: string) =>
    kubectl(
      [],
      'create',
      'clusterrolebinding',
      `oidc-${name}`,
      '--clusterrole',
      role,
      '--group',
      `oidc:${name}`,
    );
  assert.equal(await can('create', 'rolebindings'), 'no');
  await bind('owners', 'cluster-admin');
  assert.equal(await can('create', 'rolebindings'), 'no', 'a role of the client shop');
  await bind('lookers', 'admin');
  assert.equal(await can('create', 'rolebindings'), 'yes', 'a role of the realm');
  assert.equal(await can('create', 'clusterroles'), 'no');
});

test('an invalid credential is refused, and never treated as anonymous', async () => {
  const token = await tokenOf('short', '--role', 'view');
  assert.equal((await asked(`Bearer ${token}`))[0], 200);
  const [, payload = ''] = token.split('.');
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  for (const bad of [
    `Bearer ${header}.${payload}.AA`,
    `Bearer ${token.slice(0, -8)}AAAAAAAA`,
    'Basic YTpi',
    'Bearer',
  ])
    assert.equal((await asked(bad))[0], 401, bad.slice(0, 12));
  await tink('token', 'revoke', 'short');
  const [code, message] = await asked(`Bearer ${token}`);
  assert.equal(code, 401);
  assert.match(message, /its ServiceAccount default\/short has been deleted/);
  await tokenOf('short', '--role', 'view');
  assert.equal((await asked(`Bearer ${token}`))[0], 401, 'an account of the same name is another');
});

test('no secret is in the log of the server', async () => {
  const token = await tokenOf('canary', '--role', 'edit');
  await asked(`Bearer ${token}x`);
  await kubectl(['--token', token], 'create', 'secret', 'generic', 'c', '--from-literal', 'a=canary-4711');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const said = [...server.said(), metrics].join('\n');
  for (const secret of ['canary-4711', Buffer.from('canary-4711').toString('base64'), token])
    assert.ok(!said.includes(secret));
});
