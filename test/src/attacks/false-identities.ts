/** Tokens and headers of other users, at each endpoint. Nobody gets what their own roles do not allow. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack, AttackTarget, Role } from './attack.ts';
import { SECRET } from './start-target.ts';

const ROLES: readonly Role[] = ['nobody', 'agent', 'viewer', 'editor'];
const LAB = '/apis/tinkerbell.org/v1alpha1/namespaces/lab';
/** Requests that none of these roles may send. */
const FORBIDDEN: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/secrets'],
  ['GET', '/api/v1/secrets?watch=true'],
  ['GET', '/api/v1/namespaces/default/secrets/canary'],
  ['GET', '/api/v1/namespaces/tinkerbell/secrets/token-signing-key'],
  ['GET', '/apis/tinkerbell.org/v1alpha1/hardware'],
  ['GET', '/audit'],
  ['DELETE', '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/good'],
  ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token'],
  ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
];
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const falseIdentities: Attack = {
  name: 'false-identities',
  sends: 'token',
  async once(target, choice) {
    const [method, path] = choice.of(FORBIDDEN);
    const headers = choice.once(2) ? await forged(target, choice) : impersonating(choice);
    const role = choice.of(ROLES);
    const body = method === 'POST' ? { body: '{}' } : {};
    const response = await target.send(role, path, { method, headers, ...body });
    const text = await response.text();
    const sent = `${method} ${path} as ${role} with ${JSON.stringify(headers)}`;
    assert.ok(response.status >= 400 && response.status < 500, `${response.status} to ${sent}`);
    assert.ok(!text.includes(Buffer.from(SECRET).toString('base64')), `the secret was returned to ${sent}`);
  },
};

function impersonating(choice: SeededChoice): Record<string, string> {
  const user = choice.of([
    'system:admin',
    'system:masters',
    'system:serviceaccount:lab:editor',
    '',
    'a'.repeat(5000),
  ]);
  return {
    'Impersonate-User': user,
    ...(choice.once(2)
      ? { 'Impersonate-Group': choice.of(['system:masters', 'a, system:masters', ',']) }
      : {}),
    ...(choice.once(4) ? { 'Impersonate-Extra-scopes': 'all' } : {}),
  };
}

/** Returns a valid token of the viewer, changed, or one that looks like ours. */
async function forged(target: AttackTarget, choice: SeededChoice): Promise<Record<string, string>> {
  const claims = {
    iss: 'https://tinkerbell.internal',
    sub: 'system:serviceaccount:tinkerbell:admin',
    exp: 4_000_000_000,
  };
  const header = choice.of([
    { alg: 'none' },
    { alg: 'ES256', kid: '../../dev/null' },
    { alg: 'HS256', typ: 'JWT' },
    { alg: 'ES256', jku: `${target.url}/openid/v1/jwks` },
    { alg: 'ES256', jwk: privateKey.export({ format: 'jwk' }) },
  ]);
  const unsigned = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(unsigned), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const token = choice.of([
    `${unsigned}.${signature.toString('base64url')}`,
    `${unsigned}.`,
    `tinkerbell-local-${signature.subarray(0, 32).toString('base64url')}`,
    'tinkerbell-local-',
    '.'.repeat(1 + choice.below(2000)),
    'a'.repeat(1 + choice.below(8000)),
  ]);
  return { authorization: choice.of(['Bearer ', 'bearer ', 'Bearer  ', 'Token ', '']) + token };
}

export const otherNamespaces: Attack = {
  name: 'other-namespaces',
  sends: 'request',
  async once(target, choice) {
    const other = choice.of([
      'default',
      'tinkerbell',
      'kube-system',
      '..',
      'lab/../default',
      '%2e%2e/default',
      'LAB',
    ]);
    const path = `${LAB.replace('lab', other)}/${choice.of(['hardware', 'templates', 'workflows', 'hardware/good'])}`;
    const method = choice.of(['GET', 'DELETE', 'PATCH', 'PUT', 'POST']);
    const body = method === 'GET' ? {} : { body: '{"metadata":{"namespace":"default","name":"good"}}' };
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const response = await target.send('editor', path, { method, headers, ...body });
    await response.body?.cancel();
    assert.ok(response.status >= 400, `${response.status} to ${method} ${path} of an editor of lab`);
  },
};
