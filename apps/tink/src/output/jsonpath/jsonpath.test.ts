/** The table of kubernetes.io/docs/reference/kubectl/jsonpath, and more cases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderJsonPath } from './evaluate-jsonpath.ts';
import { parseJsonPath } from './parse-jsonpath.ts';

const documented = {
  kind: 'List',
  items: [
    {
      kind: 'None',
      metadata: { name: '127.0.0.1', labels: { 'kubernetes.io/hostname': 'one' } },
      status: { capacity: { cpu: '4' }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.1' }] },
    },
    {
      kind: 'None',
      metadata: { name: '127.0.0.2' },
      status: {
        capacity: { cpu: '8' },
        addresses: [
          { type: 'LegacyHostIP', address: '127.0.0.2' },
          { type: 'another', address: '127.0.0.3' },
        ],
      },
    },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
  counts: [1, 2, 3, 4, 5],
};

const cases: readonly (readonly [template: string, text: string])[] = [
  ['the kind is {.kind}', 'the kind is List'],
  ["{.kind} {['kind']} {$.kind}", 'List List List'],
  ['{.users[0].name}', 'myself'],
  ['{..name}', '127.0.0.1 127.0.0.2 myself e2e'],
  ['{.items[*].metadata.name}', '127.0.0.1 127.0.0.2'],
  ['{.users[0:1].name}', 'myself'],
  ['{.users[-1:].name}', 'e2e'],
  ['{.users[-1].name}', 'e2e'],
  ['{.counts[0:5:2]}', '1 3 5'],
  ['{.counts[1,3]}', '2 4'],
  ['{.counts[:2]}', '1 2'],
  ["{.items[*]['metadata.name', 'status.capacity']}", '127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"}'],
  ['{.users[?(@.name=="e2e")].user.password}', 'secret'],
  ["{.users[?(@.name=='e2e')].user.password}", 'secret'],
  ['{.users[?(@.name!="e2e")].name}', 'myself'],
  ['{.users[?(@.user.password)].name}', 'e2e'],
  ['{.items[?(@.status.addresses[1])].metadata.name}', '127.0.0.2'],
  ['{.items[*].status.addresses[?(@.type=="another")].address}', '127.0.0.3'],
  ['{.counts[?(@>3)]}', '4 5'],
  ['{.counts[?(@<=2)]}', '1 2'],
  [
    '{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}',
    '[127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] ',
  ],
  [String.raw`{range .items[*]}{.metadata.name}{'\t'}{end}`, '127.0.0.1\t127.0.0.2\t'],
  [String.raw`{range .items[*]}{.metadata.name}{"\n"}{end}`, '127.0.0.1\n127.0.0.2\n'],
  [
    '{range .items[*]}{.metadata.name}:{range .status.addresses[*]} {.address}{end};{end}',
    '127.0.0.1: 127.0.0.1;127.0.0.2: 127.0.0.2 127.0.0.3;',
  ],
  [String.raw`{.items[0].metadata.labels.kubernetes\.io/hostname}`, 'one'],
  [String.raw`{.items[0].metadata.labels['kubernetes\.io/hostname']}`, 'one'],
  ['{.missing}{.counts[9]}{.kind.x}', ''],
  ['{"}"}{5}{true}', '}5true'],
  ['.kind', 'List'],
  ['plain', 'plain'],
  ['{.users[1]}', '{"name":"e2e","user":{"username":"admin","password":"secret"}}'],
  ['{@.users[0].name}', 'myself'],
  ['{.users.*.name}', 'myself e2e'],
];

test('templates print what kubectl documents', () => {
  for (const [template, text] of cases)
    assert.equal(renderJsonPath(parseJsonPath(template), documented), text, template);
});

test('rejects an invalid template with the reason', () => {
  const refused: readonly (readonly [template: string, message: RegExp])[] = [
    ['{.kind', /"\{" at column 1 is not closed/],
    ['{range .items[*]}x', /has no \{end\}/],
    ['x{end}', /\{end\} without \{range\}/],
    ['{.items[}', /"\[" is not closed/],
    ['{.items[x]}', /not a number, slice, filter or quoted name/],
    ['{.items[?(=="x")]}', /must compare two values/],
    ['{.counts[0:5:0]}', /step of a slice/],
    ['{.kind x}', /not part of a path/],
  ];
  for (const [template, message] of refused)
    assert.throws(() => parseJsonPath(template), { message }, template);
});
