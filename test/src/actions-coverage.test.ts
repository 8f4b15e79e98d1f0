/** `npm run e2e -- actions` and `examples` leave nothing out. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { actionName, BUILT_IN_NAMES } from '@tinkerbell/app-agent';
import { actionCases, exampleCases, testedCases, testedExamples } from './actions/cases/all-cases.ts';

const allCases = [...actionCases, ...exampleCases];

const EXAMPLES = join(import.meta.dirname, '../../examples');

test('every built-in action is in the workflow of a machine', () => {
  const used = new Set(allCases.flatMap(({ images }) => images.map(actionName)));
  assert.deepEqual(
    BUILT_IN_NAMES.filter((name) => !used.has(name)),
    [],
  );
});

test('no two machines have the same name or address', () => {
  for (const key of ['name', 'mac'] as const)
    assert.equal(new Set(allCases.map((one) => one[key])).size, allCases.length, key);
});

test('npm test runs at least a fifth of the machines', () => {
  const tested = testedCases.length + testedExamples.length;
  assert.ok(tested * 5 >= allCases.length, `${tested} of ${allCases.length}`);
});

test('examples/README.md names the test of each folder that runs on a machine', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  const rows = new Map(
    [...readme.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)].map(([, name = '', test = '']) => [name, test]),
  );
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual([...rows.keys()].toSorted(), folders.map(({ name }) => name).toSorted());
  const run = exampleCases.flatMap(({ name }) => /^example-(.+)$/.exec(name)?.[1] ?? []);
  const named = [...rows].filter(([, test]) => test.includes('e2e -- examples')).map(([name]) => name);
  assert.deepEqual(named.toSorted(), run.toSorted());
});
