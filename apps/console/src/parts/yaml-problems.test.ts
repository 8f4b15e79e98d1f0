import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathIn, problemsAtLines } from './yaml-problems.ts';

const text = 'metadata:\n  name: m1\nspec:\n  interfaces:\n    - dhcp:\n        mac: WRONG\n';

test('a problem has the line of its field', () => {
  const causes = [{ field: 'spec.interfaces[0].dhcp.mac', message: 'must be a MAC' }];
  assert.deepEqual(problemsAtLines(text, { message: 'invalid', causes }), [
    { line: 6, field: 'spec.interfaces[0].dhcp.mac', message: 'must be a MAC' },
  ]);
});

test('a missing field has the line of what should contain it', () => {
  const causes = [{ field: 'spec.interfaces[0].dhcp.ip.address', message: 'is required' }];
  assert.equal(problemsAtLines(text, { message: 'invalid', causes })[0]?.line, 5);
});

test('text that is not YAML has the line of the mistake', () => {
  assert.equal(problemsAtLines('a: 1\nb: [\n', { message: 'x', causes: [] })[0]?.line, 3);
});

test('a line of a template counts from its block', () => {
  const template = 'spec:\n  data: |\n    one\n    two\n';
  const causes = [{ field: 'spec.data', message: 'line 2: unexpected' }];
  assert.equal(problemsAtLines(template, { message: 'invalid', causes })[0]?.line, 4);
});

test('fields with dots are quoted', () => {
  assert.deepEqual(pathIn('metadata.labels["a.b"].c[2]'), ['metadata', 'labels', 'a.b', 'c', 2]);
});
