import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateTemplateText } from '@tinkerbell/template';
import { nodeAt, parseYaml, type YamlScalar } from '@tinkerbell/yaml';
import fc from 'fast-check';
import { positionInFile } from './source-position.ts';

function dataIn(source: string): YamlScalar {
  const parsed = parseYaml(source);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const node = nodeAt(parsed.documents[0]!, ['spec', 'data']);
  assert.equal(node?.kind, 'scalar');
  return node;
}

/** Puts a mark into the content, and expects its position in the file. */
function findsMark(source: string): void {
  const { position, value } = dataIn(source);
  const content = String(value);
  const before = content.slice(0, content.indexOf('@')).split('\n');
  const at = { line: before.length, column: Array.from(before.at(-1)!).length + 1 };
  const offset = source.indexOf('@');
  const lines = source.slice(0, offset).split('\n');
  const expected = { line: lines.length, column: lines.at(-1)!.length + 1 };
  assert.deepEqual(positionInFile({ source, start: position, content }, at), expected, source);
}

test('finds a position in every style of scalar', () => {
  const sources = [
    'spec:\n  data: |\n    a: 1\n    b: @\n',
    'spec:\n  data: |-\n    a: 1\n\n\n      b: @\n',
    'spec:\n  data: |+ # comment\n    a: 1\n    b: @\n\n\n',
    'spec:\n  data: |2\n      a: 1\n     b: @\n',
    'spec:\n  data: |1-\n   a: 1\n   b: @\n',
    'spec:\n  data: !!str |\n\n    a: @ 1\n',
    'spec:\n  data:\n    |\n    a: @ 1\n',
    'spec:\r\n  data: |\r\n    a: 1\r\n    b: @\r\n',
    'spec:\n  data: |\n    ä: "🦊" @\n',
    'spec:\n  data: >\n    a b\n    c\n\n      d\n    e @\n',
    'spec:\n  data: >-\n    🦊 b @ c\n',
    'spec:\n  data: "a: \\"1\\"\\n  b:\\x41\\u00e9\\U0001F98A\\\\ @ x"\n',
    'spec:\n  data: "a\n    b \\\n    c @"\n',
    "spec:\n  data: 'it''s\n\n    b @ c'\n",
    'spec:\n  data: a b\n    c @ d\n',
    'spec: {data: "x @"}\n',
    '{"spec": {"data": "a: 1\\n\\tb: @\\n"}}',
    'x: &t |\n  one\n  two @\nspec:\n  data: *t\n',
  ];
  for (const source of sources) findsMark(source);
});

test('a position past the end of a block is the end of its last line', () => {
  const source = 'spec:\n  data: |\n    a\n    bcd\nstatus: {}\n';
  const { position, value } = dataIn(source);
  const place = { source, start: position, content: String(value) };
  assert.deepEqual(positionInFile(place, { line: 3, column: 1 }), { line: 4, column: 8 });
});

test('an error of the template engine is reported at its position in the file', () => {
  const source =
    'kind: Template\nspec:\n  data: |\n    name: x\n    worker: "{{ .device_1 | frobnicate }}"\n';
  const { position, value } = dataIn(source);
  const checked = validateTemplateText(String(value));
  assert.ok(!checked.ok);
  const found = positionInFile({ source, start: position, content: String(value) }, checked.error);
  assert.equal(found.line, 5);
  assert.equal(
    source
      .split('\n')[4]!
      .slice(found.column - 1)
      .startsWith('frobnicate'),
    true,
    JSON.stringify(found),
  );
});

test('any text in a literal block is found at its line and column', () => {
  const word = fc.stringMatching(/^[a-z{}"' äé]{0,12}$/);
  const property = fc.property(
    fc.array(word, { maxLength: 6 }),
    fc.integer({ min: 1, max: 5 }),
    (words, indent) => {
      const body = [...words, 'x @', 'end'].map((line) => `${' '.repeat(indent + 2)}${line}`).join('\n');
      findsMark(`spec:\n  data: |${indent}\n${body}\n`);
    },
  );
  fc.assert(property);
});
