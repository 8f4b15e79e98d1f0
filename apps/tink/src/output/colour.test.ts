import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printStates } from './colour.ts';

function printed(text: string, environment: Record<string, string> = {}, isTty = true): string {
  let out = '';
  printStates({ styledOut: (one) => void (out += one), isTty, environment }, text);
  return out;
}

test('states are coloured on a terminal', () => {
  assert.equal(
    printed('w SUCCESS\nv FAILED\n'),
    'w \u001b[32mSUCCESS\u001b[0m\nv \u001b[31mFAILED\u001b[0m\n',
  );
  assert.equal(printed('re-FAILED FAILEDX'), 're-FAILED FAILEDX');
});

test('states are not coloured without a terminal or with NO_COLOR', () => {
  assert.equal(printed('w SUCCESS', {}, false), 'w SUCCESS');
  assert.equal(printed('w SUCCESS', { NO_COLOR: '1' }), 'w SUCCESS');
});

test('text from objects cannot control the terminal', () => {
  assert.equal(printed('\u001b[2J SUCCESS'), '\\u001b[2J \u001b[32mSUCCESS\u001b[0m');
});
