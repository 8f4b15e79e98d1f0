/** Compares the template language with Go's own text/template and sprig, on random templates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, fromJson, parseTemplate } from '@tinkerbell/go-template';
import { templatePlatform } from '@tinkerbell/platform-template';
import { templateFunctions } from '@tinkerbell/template';
import { CALLS, DETERMINED } from './template-differential/calls.ts';
import { type Answer, goIsMissing, goVersion, renderWithGo } from './template-differential/go-renderer.ts';
import { KNOWN_DIFFERENCES } from './template-differential/known-differences.ts';
import { DATA } from './template-differential/operands.ts';
import { generatedTemplates } from './template-differential/template-generator.ts';

const SEED = 20_250_901;
const TEMPLATES = 5_000;
const functions = templateFunctions(templatePlatform);

/** Tinkerbell's own functions, which sprig does not have. */
const OWN = ['formatPartition', 'netmaskToPrefixLength', 'toYaml', 'fromYaml'];

function renderHere(template: string): Answer {
  const parsed = parseTemplate('t', template, { functions });
  if (!parsed.ok) return { error: parsed.error.text };
  const result = execute(parsed.template, fromJson(DATA), { missingKey: 'error' });
  return result.ok ? { output: result.text } : { error: result.error.text };
}

function reasonFor(template: string, version: number): string | undefined {
  return KNOWN_DIFFERENCES.find(
    ({ matches, beforeGo = Infinity }) => version < beforeGo && matches.test(template),
  )?.reason;
}

test('the generated templates call every function', () => {
  const called = [...CALLS.keys(), ...DETERMINED].join(' ');
  const forgotten = [...functions.keys()].filter(
    (name) => !OWN.includes(name) && !new RegExp(`\\b${name}\\b`).test(called),
  );
  assert.deepEqual(forgotten, []);
});

test(
  `${TEMPLATES} random templates give the same result as Go and sprig`,
  { skip: goIsMissing() ?? false },
  (context) => {
    const templates = generatedTemplates(SEED, TEMPLATES);
    const answers = renderWithGo(templates.map((template) => ({ template, data: DATA })));
    assert.equal(answers.length, templates.length);
    const version = goVersion() ?? 0;
    const known = new Map<string, number>();
    const wrong: { template: string; expected: Answer; actual: Answer }[] = [];
    let agree = 0;
    let sameErrorText = 0;
    let failing = 0;
    templates.forEach((template, i) => {
      const expected = answers[i] ?? {};
      const actual = renderHere(template);
      if (expected.output === actual.output) {
        agree += 1;
        if (expected.error !== undefined) failing += 1;
        if (expected.error !== undefined && expected.error === actual.error) sameErrorText += 1;
        return;
      }
      const reason = reasonFor(template, version);
      if (reason === undefined) wrong.push({ template, expected, actual });
      else known.set(reason, (known.get(reason) ?? 0) + 1);
    });
    context.diagnostic(
      `go1.${version}: ${agree} of ${templates.length} agree, ${failing} of them fail in both`,
    );
    context.diagnostic(`${sameErrorText} of the ${failing} errors have Go's words`);
    for (const [reason, count] of known) context.diagnostic(`known difference, ${count} times: ${reason}`);
    assert.deepEqual(wrong, []);
    assert.ok(agree >= 4_000);
  },
);
