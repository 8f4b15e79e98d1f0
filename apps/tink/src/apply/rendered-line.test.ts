import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateLineOf } from './rendered-line.ts';

test('finds the line if rendering keeps the number of lines', () => {
  assert.equal(templateLineOf('a: 1\nb: {{ .x }}\n', 'a: 1\nb: 2\n', 2), 2);
});

test('finds the only line with the same text if rendering adds lines', () => {
  const template = '{{ range .x }}\n- {{ . }}\n{{ end }}\nimage: Bad\nend: 1\nend: 1\n';
  const rendered = '\n- 1\n\n- 2\n\nimage: Bad\nend: 1\nend: 1\n';
  assert.equal(templateLineOf(template, rendered, 6), 4);
  assert.equal(templateLineOf(template, rendered, 4), undefined);
  assert.equal(templateLineOf(template, rendered, 7), undefined);
  assert.equal(templateLineOf(template, rendered, 99), undefined);
});
