import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ANY_SAMPLE, SAMPLE_FUNCTIONS } from './vectors-sample.ts';
import { execute, fromJson, type MissingKey, mapValue, parseTemplate, type Value } from './index.ts';

// Created with Go's own text/template. See ../testdata/generate.go.
interface Vector {
  group: string;
  template: string;
  missingKey?: MissingKey;
  output?: string;
  error?: string;
}

const file: { data: unknown; cases: Vector[] } = JSON.parse(
  readFileSync(new URL('../testdata/vectors.json', import.meta.url), 'utf8'),
);

const json = fromJson(file.data);
const data: Value = json.kind === 'map' ? mapValue([...(json.entries ?? []), ...ANY_SAMPLE]) : json;

function outcome(vector: Vector): { output?: string; error?: string } {
  const parsed = parseTemplate('t', vector.template, { functions: SAMPLE_FUNCTIONS });
  if (!parsed.ok) return { error: parsed.error.text };
  const result = execute(parsed.template, data, { missingKey: vector.missingKey ?? 'default' });
  return result.ok ? { output: result.text } : { error: result.error.text };
}

for (const group of new Set(file.cases.map((vector) => vector.group))) {
  const vectors = file.cases.filter((vector) => vector.group === group);
  test(`${group}: ${vectors.length} templates give the same result as Go`, () => {
    const wrong = vectors.flatMap((vector) => {
      const { group: _, template, missingKey, ...expected } = vector;
      const actual = outcome(vector);
      const same = actual.output === expected.output && actual.error === expected.error;
      return same ? [] : [{ template, missingKey, expected, actual }];
    });
    assert.deepEqual(wrong, []);
  });
}

test('there are many vectors, because they are the reference', () => {
  assert.ok(file.cases.length >= 1000);
});
