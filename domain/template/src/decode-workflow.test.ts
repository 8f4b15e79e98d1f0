import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from '@tinkerbell/yaml';
import { decodeWorkflow, type DecodeResult } from './decode-workflow.ts';

function decoded(text: string): DecodeResult {
  const parsed = parseYaml(text);
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.error.message);
  return decodeWorkflow(parsed.documents[0]);
}

// Each is the result of gopkg.in/yaml.v3 v3.0.1.
const NAMES: readonly (readonly [written: string, name: string])[] = [
  ['0644', '0644'],
  ['true', 'true'],
  ['y', 'y'],
  ['off', 'off'],
  ['~', ''],
  ['Null', ''],
  ['', ''],
  ["'~'", '~'],
  ['1e3', '1e3'],
  ['0x1F', '0x1F'],
  ['1_000', '1_000'],
  ['2020-01-01', '2020-01-01'],
  ['12:30:45', '12:30:45'],
  ['.inf', '.inf'],
  ['<<', '<<'],
  ['!!str 12', '12'],
  ['!foo bar', 'bar'],
  ['"a\\u00e9"', 'aé'],
];

for (const [written, name] of NAMES) {
  test(`a name written as ${written || 'nothing'} is ${JSON.stringify(name)}`, () => {
    const result = decoded(`name: ${written}`);
    assert.equal(result.ok ? result.workflow.name : result.problem.message, name);
  });
}

const SECONDS: readonly (readonly [written: string, seconds: number | string])[] = [
  ['0o17', 15],
  ['0b11', 3],
  ['-0x10', -16],
  ['010', 8],
  ['09', 9],
  ['+5', 5],
  ['1_0', 10],
  ['1.5e1', 15],
  ['', 0],
  ['"5"', 'cannot unmarshal !!str `5` into int'],
  ['9223372036854775808', 'cannot unmarshal !!int `9223372...` into int'],
];

for (const [written, seconds] of SECONDS) {
  test(`a timeout written as ${written || 'nothing'} is ${seconds}`, () => {
    const result = decoded(`global_timeout: ${written}`);
    assert.equal(result.ok ? result.workflow.globalTimeoutSeconds : result.problem.message, seconds);
  });
}

test('null is omitted from lists, and is an empty text in maps', () => {
  const result = decoded(
    'tasks: [~, {volumes: [1, ~, true, 0x1], environment: {A: 1, B: ~, 5: x, true: y}}]',
  );
  assert.ok(result.ok);
  assert.equal(result.workflow.tasks.length, 1);
  assert.deepEqual(result.workflow.tasks[0]?.volumes, ['1', 'true', '0x1']);
  assert.deepEqual(
    [...(result.workflow.tasks[0]?.environment ?? [])],
    [
      ['A', '1'],
      ['B', ''],
      ['5', 'x'],
      ['true', 'y'],
    ],
  );
});

const REFUSED: readonly (readonly [text: string, message: string])[] = [
  ['tasks: {}', 'cannot unmarshal !!map into []workflow.Task'],
  ['tasks: [a]', 'cannot unmarshal !!str `a` into workflow.Task'],
  ['- a', 'cannot unmarshal !!seq into workflow.Workflow'],
  ['tasks: [{environment: {A: [1]}}]', 'cannot unmarshal !!seq into string'],
  ['tasks: [{environment: [1]}]', 'cannot unmarshal !!seq into map[string]string'],
  ['name: {a: 1}', 'cannot unmarshal !!map into string'],
];

for (const [text, message] of REFUSED) {
  test(`${text} is refused: ${message}`, () => {
    const result = decoded(text);
    assert.equal(result.ok ? 'taken' : result.problem.message, message);
  });
}

test('unknown keys and other cases of known ones are ignored, anchors and merges work', () => {
  const result = decoded(
    'Name: no\nname: x\nunknown: {deep: [1]}\na: &x {worker: w}\ntasks: [{<<: *x, name: t}, *x]',
  );
  assert.ok(result.ok);
  assert.deepEqual(
    result.workflow.tasks.map(({ name, worker }) => [name, worker]),
    [
      ['t', 'w'],
      ['', 'w'],
    ],
  );
});
