import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTemplate, type RenderError, type RenderInput, validateTemplateText } from './index.ts';

function errorOf(text: string, more: Partial<RenderInput> = {}): RenderError {
  const result = renderTemplate({ templateName: 'wf', text, ...more });
  assert.ok(!result.ok);
  return result.error;
}

test('an error in the template shows the lines around it, with a mark below the column', () => {
  const { excerpt, line, column } = errorOf(
    'name: x\nversion: 1\ntasks:\n  - name: {{ .nope }}\n    worker: w\n    a: 1\n    b: 2',
  );
  assert.deepEqual([line, column], [4, 14]);
  assert.equal(
    excerpt,
    [
      '  2 | version: 1',
      '  3 | tasks:',
      '> 4 |   - name: {{ .nope }}',
      '    |              ^',
      '  5 |     worker: w',
      '  6 |     a: 1',
    ].join('\n'),
  );
});

test('a rendered text that is not a workflow shows its own lines, not those of the template', () => {
  const { excerpt, where, path } = errorOf(
    'name: x\n{{ "tasks:\\n- name: t\\n  worker: w\\n  actions: soon" }}',
  );
  assert.equal(where, 'rendered');
  assert.equal(path, 'tasks[0].actions');
  assert.match(excerpt, /^ {2}3 \| - name: t\n {2}4 \| {3}worker: w\n> 5 \| {3}actions: soon\n/);
});

test('invalid YAML shows the lines around the fault', () => {
  const { excerpt, step } = errorOf('name: a\nname: b\ntasks: []');
  assert.equal(step, 'yaml');
  assert.match(excerpt, /> 2 \| name: b/);
});

const SECRETS = ['hunter2', 'two\nlines here', ''];

const LEAKS: readonly (readonly [what: string, text: string])[] = [
  ['a message', '{{ fail .password }}'],
  [
    'the value of a field',
    'name: x\ntasks: [{name: t, worker: w, actions: [{name: a, image: "A{{ .password }}"}]}]',
  ],
  ['the lines around a fault', 'name: x\npassword: {{ .password }}\ntasks: soon'],
  ['a quoted value', 'name: x\ntasks: {{ .long | quote }}'],
  ['a secret of two lines', 'name: x\nnote: |\n{{ .long | indent 2 }}\ntasks: soon'],
  ['the template itself', 'name: hunter2 {{ .nope }}'],
];

for (const [what, text] of LEAKS) {
  test(`a secret is hidden in ${what}`, () => {
    const hardwareMap = { password: 'hunter2', long: 'two\nlines here' };
    const shown = JSON.stringify(errorOf(text, { hardwareMap, secrets: SECRETS }));
    assert.doesNotMatch(shown, /hunter2|lines here/);
    assert.match(shown, /\*\*\*/);
    assert.match(JSON.stringify(errorOf(text, { hardwareMap })), /hunter2|lines here/);
  });
}

const NEAR: readonly (readonly [wrong: string, advice: string])[] = [
  ['defualt', '; did you mean default?'],
  ['tojson', '; did you mean toJson'],
  ['regexmatch', '; did you mean regexMatch'],
  ['prinft', 'printf?'],
  ['xyzzyx', ' not defined'],
];

for (const [wrong, advice] of NEAR) {
  test(`an unknown function ${wrong} is reported with similar names`, () => {
    const result = validateTemplateText(`name: {{ ${wrong} "x" }}`);
    assert.ok(!result.ok);
    assert.ok(result.error.message.includes(advice), result.error.message);
    assert.ok(result.error.text.startsWith('template: workflow-template:1: function '));
  });
}

test('functions that need a platform report that it is missing', () => {
  for (const call of ['sha256sum "x"', 'shuffle "x"', 'ago 1', 'genCA "x" 1', 'bcrypt "x"']) {
    assert.match(
      errorOf(`name: {{ ${call} }}`).message,
      /is not available here: it needs a clock, randomness/,
    );
  }
});
