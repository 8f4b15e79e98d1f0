import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskedResource, User } from '@tinkerbell/access';
import type { Authorizer } from '@tinkerbell/platform-contract';
import { impersonated } from './impersonation.ts';

const ann: User = { name: 'ann', groups: [] };

/** Allows the given `resource/name` or `resource/namespace/name`. */
function allowing(...allowed: readonly string[]): Authorizer {
  return {
    decide: (_user, asked) => {
      const { verb, resource, namespace, name } = asked as AskedResource;
      const text = [resource, namespace, name].filter((part) => part !== undefined).join('/');
      return { allowed: verb === 'impersonate' && allowed.includes(text), reason: text };
    },
    rulesOf: () => [],
  };
}

function outcome(headers: Record<string, string>, authorizer?: Authorizer): string {
  const found = impersonated({ headers: new Headers(headers) }, ann, authorizer);
  if (!('user' in found)) return `${found.code} ${found.message}`;
  const { name, groups, impersonatedBy } = found.user;
  return `${name} [${groups.join(' ')}]${impersonatedBy === undefined ? '' : ` by ${impersonatedBy}`}`;
}

test("a request without these headers is its own user's", () => {
  assert.equal(outcome({ accept: 'a' }), 'ann []');
});

test('a permitted user acts as another one, and the audit has the real user', () => {
  assert.equal(
    outcome({ 'Impersonate-User': 'bob' }, allowing('users/bob')),
    'bob [system:authenticated] by ann',
  );
  const account = 'system:serviceaccount:lab:ci';
  assert.equal(
    outcome({ 'Impersonate-User': account }, allowing('serviceaccounts/lab/ci')),
    `${account} [system:serviceaccounts system:serviceaccounts:lab system:authenticated] by ann`,
  );
  assert.equal(
    outcome(
      { 'Impersonate-User': 'bob', 'Impersonate-Group': 'ops, dev' },
      allowing('users/bob', 'groups/ops', 'groups/dev'),
    ),
    'bob [ops dev system:authenticated] by ann',
  );
});

test('impersonation needs the verb for the user and for each group', () => {
  assert.match(
    outcome({ 'Impersonate-User': 'bob' }, allowing('users/eve')),
    /^403 users "bob" is forbidden/,
  );
  assert.match(outcome({ 'Impersonate-User': 'bob' }), /^403/);
  assert.match(
    outcome({ 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:masters' }, allowing('users/bob')),
    /^403 groups "system:masters" is forbidden/,
  );
  assert.match(
    outcome(
      { 'Impersonate-User': 'system:serviceaccount:lab:ci' },
      allowing('users/system:serviceaccount:lab:ci'),
    ),
    /^403 serviceaccounts "ci"/,
  );
});

test('a header of this family is never ignored', () => {
  const may = allowing('users/bob');
  assert.match(
    outcome({ 'Impersonate-Group': 'ops' }, may),
    /^400 Impersonate-Group requires Impersonate-User/,
  );
  for (const name of ['Impersonate-Uid', 'Impersonate-Extra-scopes', 'IMPERSONATE-OTHER'])
    assert.match(
      outcome({ 'Impersonate-User': 'bob', [name]: '1' }, may),
      /^403 impersonate-\S+ is not supported/,
    );
});
