import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  execute,
  type ExecuteLimits,
  fromJson,
  functionMap,
  INTERFACE,
  listValue,
  NIL,
  parseTemplate,
  type TemplateError,
} from './index.ts';

const FUNCTIONS = functionMap({
  list: { params: [INTERFACE], variadic: true, call: (args) => listValue(args) },
});

function failure(text: string, limits: Partial<ExecuteLimits> = {}): TemplateError {
  const parsed = parseTemplate('t', text, { functions: FUNCTIONS });
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.error.text);
  const result = execute(parsed.template, NIL, { limits });
  assert.ok(!result.ok, 'expected a limit to be exceeded');
  return result.error;
}

test('a template that loops too long is stopped at its step limit, with the place', () => {
  const error = failure('a\n{{range 1000}}{{range 1000}}{{$x := 1}}{{end}}{{end}}', { steps: 5000 });
  assert.equal(error.code, 'limit');
  assert.equal(error.message, 'template takes more than 5000 steps');
  assert.equal(error.line, 2);
});

test('output beyond the limit is refused, counted in bytes', () => {
  assert.match(failure('{{range 3}}世{{end}}', { outputBytes: 8 }).message, /exceeds 8 bytes/);
  const parsed = parseTemplate('t', '{{range 3}}世{{end}}');
  assert.ok(parsed.ok);
  assert.deepEqual(execute(parsed.template, NIL, { limits: { outputBytes: 9 } }), {
    ok: true,
    text: '世世世',
  });
});

test('a string that is doubled repeatedly is refused before it fills memory', () => {
  const error = failure('{{$x := "x"}}{{range 60}}{{$x = print $x $x}}{{end}}');
  assert.match(error.message, /makes values larger than/);
});

test('a value that contains itself twice, many levels deep, cannot be printed', () => {
  const error = failure('{{$x := list}}{{range 60}}{{$x = list $x $x}}{{end}}{{$x}}');
  assert.match(error.message, /makes values larger than/);
});

test('a value nested too deeply is an error, not a stack overflow', () => {
  const error = failure('{{$x := list}}{{range 20000}}{{$x = list $x}}{{end}}{{print $x}}');
  assert.match(error.message, /nested deeper than 200 levels/);
  assert.match(
    failure('{{$x := list}}{{range 20000}}{{$x = list $x}}{{end}}{{$x}}').message,
    /nested deeper/,
  );
});

test('a wide printf is refused before it is built', () => {
  assert.match(failure('{{range 100}}{{$x := printf "%1000000d" 1}}{{end}}').message, /makes values larger/);
});

test('endless template recursion is refused', () => {
  const error = failure('{{define "a"}}{{template "a"}}{{end}}{{template "a"}}');
  assert.equal(error.message, 'exceeded maximum template depth (200)');
  assert.equal(error.name, 'a');
});

test('recursion through deep blocks stays within the stack', () => {
  const deep = `${'{{if true}}'.repeat(250)}{{template "a"}}${'{{end}}'.repeat(250)}`;
  assert.match(
    failure(`{{define "a"}}${deep}{{end}}{{template "a"}}`).message,
    /nested deeper than 1000 levels/,
  );
});

test('range over a huge integer is refused', () => {
  assert.match(failure('{{range 2000000}}{{end}}').message, /range over an integer larger than 1000000/);
});

test('nesting beyond the parse depth is a syntax error', () => {
  for (const text of [
    '{{'.padEnd(100_000, '('),
    '{{if 1}}'.repeat(50_000),
    '{{block "a" .}}'.repeat(50_000),
  ]) {
    const parsed = parseTemplate('t', text);
    assert.ok(!parsed.ok);
    assert.equal(parsed.error.code, 'limit');
    assert.equal(parsed.error.message, 'max expression depth exceeded');
  }
});

test('source longer than the limit is refused without reading it', () => {
  const parsed = parseTemplate('t', 'x'.repeat(11), { limits: { sourceLength: 10 } });
  assert.ok(!parsed.ok);
  assert.equal(parsed.error.message, 'template source is longer than 10 characters');
});

test('names of JavaScript object properties are missing keys, and give no access to the engine', () => {
  const data = fromJson(JSON.parse('{"a":{},"l":[],"s":"x"}'));
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']) {
    const parsed = parseTemplate('t', `{{.${name}}}|{{.a.${name}}}|{{index .a "${name}"}}`);
    assert.ok(parsed.ok);
    assert.deepEqual(execute(parsed.template, data), { ok: true, text: '<no value>|<no value>|<no value>' });
    assert.equal(parseTemplate('t', `{{${name}}}`).ok, false);
  }
});

test('an own key named __proto__ is ordinary data', () => {
  const parsed = parseTemplate('t', '{{.__proto__.x}}');
  assert.ok(parsed.ok);
  assert.deepEqual(execute(parsed.template, fromJson(JSON.parse('{"__proto__":{"x":"own"}}'))), {
    ok: true,
    text: 'own',
  });
});

const PIECES = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  ' ',
  '\n',
  '(',
  ')',
  '|',
  ':=',
  '=',
  ',',
  '$',
  '$x',
  '.',
  '.a',
  '.a.b',
  '"',
  '"s"',
  '`r`',
  "'c'",
  '1',
  '1.5',
  '0x',
  'true',
  'nil',
  'if',
  'else',
  'end',
  'range',
  'with',
  'define',
  'template',
  'block',
  'break',
  'continue',
  'print',
  'printf',
  '"%d%s%v"',
  'index',
  'len',
  'eq',
  'and',
  'or',
  'list',
  '/*',
  '*/',
  'é',
  '\u{1f600}',
];

test('any source and any data give a result, never an exception', () => {
  const source = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(source, fc.jsonValue(), (text, json) => {
      const parsed = parseTemplate('t', text, { functions: FUNCTIONS });
      if (!parsed.ok) {
        assert.ok(parsed.error.text.startsWith('template: t:'));
        assert.ok(parsed.error.line >= 1 && parsed.error.column >= 1);
        return;
      }
      const result = execute(parsed.template, fromJson(json), { limits: { steps: 10_000 } });
      assert.equal(typeof (result.ok ? result.text : result.error.text), 'string');
    }),
    { numRuns: 3000 },
  );
});

test('random sequences of whole actions never throw and end within their limits', () => {
  const operand = fc.constantFrom(
    '.',
    '.a',
    '.b.c',
    '$',
    '1',
    '-1',
    '2.5',
    '"s"',
    'nil',
    'true',
    '(print 1)',
    '(list 1 2)',
    'list',
  );
  const call = fc
    .tuple(
      fc.constantFrom(
        'print',
        'printf "%5d"',
        'index',
        'slice',
        'len',
        'eq',
        'lt',
        'and',
        'not',
        'html',
        'js',
        'call',
        'list',
      ),
      fc.array(operand, { maxLength: 3 }),
    )
    .map(([name, args]) => [name, ...args].join(' '));
  const { statement } = fc.letrec<{ statement: string }>((tie) => ({
    statement: fc.oneof(
      { depthSize: 'small' },
      call.map((text) => `{{${text}}}`),
      operand.map((text) => `{{${text} | print}}`),
      fc
        .tuple(fc.constantFrom('if', 'range', 'with'), operand, tie('statement'), tie('statement'))
        .map(
          ([keyword, value, body, otherwise]) => `{{${keyword} ${value}}}${body}{{else}}${otherwise}{{end}}`,
        ),
    ),
  }));
  fc.assert(
    fc.property(statement, fc.jsonValue(), (text, json) => {
      const parsed = parseTemplate('t', text, { functions: FUNCTIONS });
      if (parsed.ok) execute(parsed.template, fromJson(json), { limits: { steps: 10_000 } });
    }),
    { numRuns: 3000 },
  );
});
