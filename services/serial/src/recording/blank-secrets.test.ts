import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { blanked, secretsOf } from './blank-secrets.ts';

const hardware = (spec: Hardware['spec']): Hardware =>
  ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1', namespace: 'lab' },
    spec,
  }) as Hardware;

test('blanks out values whose names say that they are secrets', () => {
  const cases: readonly [line: string, shown: string][] = [
    [
      'Command line: console=ttyS0 tinkerbell_boot_token=abc.def-1 ip=dhcp',
      'Command line: console=ttyS0 tinkerbell_boot_token=*** ip=dhcp',
    ],
    ['user m1, password: "two words" done', 'user m1, password: *** done'],
    ["DB_PASSWORD='x y', next", 'DB_PASSWORD=***, next'],
    ['Password: hunter2', 'Password: ***'],
    ['a passing token ring', 'a passing token ring'],
  ];
  for (const [line, shown] of cases) assert.equal(blanked(line, []), shown);
});

test('blanks out the secrets of the Hardware wherever they are printed', () => {
  const secrets = secretsOf(
    hardware({
      userData:
        '#cloud-config\npassword: correct-horse\nusers:\n  - plain_text_passwd: "battery staple"\nhostname: visible-name',
      metadata: { instance: { crypted_root_password: '$6$salt$hash' } },
    }),
  );
  assert.deepEqual(secrets, ['battery staple', 'correct-horse', '$6$salt$hash']);
  assert.equal(
    blanked('root:$6$salt$hash: correct-horse or battery staple on visible-name', secrets),
    'root:***: *** or *** on visible-name',
  );
  assert.deepEqual(secretsOf(hardware(undefined)), []);
  assert.deepEqual(secretsOf(hardware({ userData: 'password: abc' })), []);
});
