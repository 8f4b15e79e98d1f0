import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedReferences, parseReferenceRules } from './index.ts';

const secret = { namespace: 'tink', name: 'key', group: '', version: 'v1', resource: 'Secrets' };
const other = {
  namespace: 'tink',
  name: 'other',
  group: 'Tinkerbell.org',
  version: 'v1alpha1',
  resource: 'hardware',
};
const hardware = {
  metadata: { name: 'm1', namespace: 'tink' },
  spec: { references: { secret, other } },
};

function provided(deny: string, allow: string, object: object = hardware): string[] {
  const parsed = parseReferenceRules({ deny, allow });
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message);
  return [...allowedReferences(object, parsed.rules).references.keys()];
}

const table: readonly (readonly [what: string, deny: string, allow: string, provided: readonly string[]])[] =
  [
    ['nothing by default', '', '', []],
    ['what a rule allows by name', '', '{"reference":{"name":["other"]}}', ['other']],
    [
      'what one of several rules allows',
      '',
      '{"reference":{"name":["x"]}}|{"source":{"name":["m1"]}}',
      ['secret', 'other'],
    ],
    ['nothing to another source', '', '{"source":{"name":["m2"]}}', []],
    ['what the operator does not deny', '{"reference":{"name":["key"]}}', '', ['other']],
    [
      'what is denied and allowed',
      '{"reference":{"name":["key"]}}',
      '{"reference":{"namespace":["tink"]}}',
      ['secret', 'other'],
    ],
    ['a resource denied in lower case', '{"reference":{"resource":["secrets"]}}', '', ['other']],
    ['a resource denied as it is written', '{"reference":{"resource":["Secrets"]}}', '', ['other']],
    ['everything that a spaced list leaves', ' {"reference":{"name":["x"]}} | ', '', ['secret', 'other']],
  ];

for (const [what, deny, allow, expected] of table)
  test(`provides ${what}`, () => assert.deepEqual(provided(deny, allow), expected));

test('denies a reference without a name, and accepts a Hardware without references', () => {
  assert.deepEqual(provided('', '', { spec: { references: { x: { resource: 'secrets' }, y: null } } }), []);
  assert.deepEqual(provided('', '', {}), []);
});

test('reports what is denied, and returns the rest as it must be read', () => {
  const parsed = parseReferenceRules({ deny: '', allow: '{"reference":{"name":["other"]}}' });
  assert.ok(parsed.ok);
  const { references, denied } = allowedReferences(hardware, parsed.rules);
  assert.equal(denied, 'reference denied: secret');
  assert.deepEqual(references.get('other'), { ...other, group: 'tinkerbell.org' });
});

test('refuses lists that are not patterns', () => {
  const deny = parseReferenceRules({ deny: '{"reference":{"name":["a"]}}|{"reference":"x"}', allow: '' });
  assert.match(
    deny.ok ? '' : deny.message,
    /^rule 2 of the deny list: reference: expected a list of values, or an object, at character 14$/,
  );
  const allow = parseReferenceRules({ deny: '', allow: 'x' });
  assert.match(allow.ok ? '' : allow.message, /^rule 1 of the allow list: expected a JSON value/);
});
