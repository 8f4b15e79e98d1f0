import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { execute, fromJson, parseTemplate } from '@tinkerbell/go-template';
import { imageReferenceProblem, TEMPLATE_FUNCTIONS } from '../index.ts';

// Created with Go, sprig and sigs.k8s.io/yaml. See ../testdata/generate.go.
interface Vectors {
  data: unknown;
  cases: { template: string; output?: string; error?: string }[];
  images: { image: string; problem?: string }[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../testdata/vectors.json', import.meta.url), 'utf8'),
);

// Created with test/go-template and sprig v3.3.0: calls of every function that needs no platform, errors
// included.
const sprigVectors: Omit<Vectors, 'images'> = JSON.parse(
  readFileSync(new URL('../../testdata/sprig-vectors.json', import.meta.url), 'utf8'),
);

function outcome(template: string, data: unknown = vectors.data): { output?: string; error?: string } {
  const parsed = parseTemplate('t', template, { functions: TEMPLATE_FUNCTIONS });
  if (!parsed.ok) return { error: parsed.error.text };
  const result = execute(parsed.template, fromJson(data), { missingKey: 'error' });
  return result.ok ? { output: result.text } : { error: result.error.text };
}

test('the functions return what they return upstream', () => {
  const wrong = vectors.cases.flatMap(({ template, ...expected }) => {
    const actual = outcome(template);
    return actual.output === expected.output && actual.error === expected.error
      ? []
      : [{ template, expected, actual }];
  });
  assert.deepEqual(wrong, []);
  assert.ok(vectors.cases.length > 400);
});

// Go's error texts that ours do not match: capacities of its slices, and details of its JSON parser.
const WORDS_DIFFER = /mustFromJson/;
const sprigNames = new Set(
  sprigVectors.cases.map(({ template }) => /^\{\{ \(*(\w+)/.exec(template)?.[1] ?? ''),
);

for (const name of sprigNames) {
  const cases = sprigVectors.cases.filter(({ template }) => /^\{\{ \(*(\w+)/.exec(template)?.[1] === name);
  test(`${name}: ${cases.length} calls return what sprig returns`, () => {
    const wrong = cases.flatMap(({ template, ...expected }) => {
      const actual = outcome(template, sprigVectors.data);
      const sameError =
        actual.error === expected.error || (actual.error !== undefined && WORDS_DIFFER.test(template));
      return actual.output === expected.output && sameError ? [] : [{ template, expected, actual }];
    });
    assert.deepEqual(wrong, []);
  });
}

test('image names are refused for the same reasons as by Docker', () => {
  const wrong = vectors.images.flatMap(({ image, problem }) => {
    const actual = imageReferenceProblem(image);
    return actual === problem ? [] : [{ image, expected: problem, actual }];
  });
  assert.deepEqual(wrong, []);
  assert.ok(vectors.images.length > 50);
});
