import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTemplate, type ActionDefinition } from './index.ts';

function rendered(extension: string): ActionDefinition | string {
  const text = `name: w\ntasks:\n- name: t\n  worker: a\n  actions:\n  - name: one\n    image: img\n${extension
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`;
  const result = renderTemplate({ templateName: 'w', text });
  const action = result.ok ? result.workflow.tasks[0]?.actions[0] : undefined;
  return action ?? (result.ok ? '' : result.error.text);
}

function extensionsOf(extension: string): unknown {
  const action = rendered(extension);
  assert.ok(typeof action !== 'string', JSON.stringify(action));
  const { retries, backoffSeconds, onInterrupted, onFailure } = action;
  const given = {
    retries,
    backoffSeconds,
    onInterrupted,
    if: action.if,
    onFailure: onFailure?.map((one) => one.name),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const readings: readonly (readonly [string, unknown])[] = [
  ['timeout: 1', {}],
  ['retries: 3', { retries: 3 }],
  ['retries:', {}],
  ['backoff: 90', { backoffSeconds: 90 }],
  ['backoff: 1m30s', { backoffSeconds: 90 }],
  ['backoff: "2h"', { backoffSeconds: 7200 }],
  ['onInterrupted: ask', { onInterrupted: 'ask' }],
  ['if: "false"', { if: 'false' }],
  ['if: {{ eq 1 1 }}', { if: 'true' }],
  ['if: {{ "" }}', { if: '' }],
  ['on-failure: [a, b]', {}],
  ['on-failure: []', {}],
  ['on-failure:\n- {name: collect, image: img}', { onFailure: ['collect'] }],
];

for (const [extension, expected] of readings) {
  test(`reads ${extension.replaceAll('\n', ' ')}`, () => assert.deepEqual(extensionsOf(extension), expected));
}

const refusals: readonly (readonly [string, RegExp])[] = [
  ['retries: many', /line 8: cannot unmarshal !!str `many` into int64/],
  ['retries: -1', /cannot unmarshal !!int `-1` into a number of retries/],
  ['backoff: soon', /cannot unmarshal !!str `soon` into time.Duration/],
  ['onInterrupted: never', /cannot unmarshal !!str `never` into retry, fail, ask/],
  ['on-failure: [{name: c, image: "IMG"}]', /invalid action image \(IMG\)/],
  ['on-failure: [{name: c, image: i}, {name: c, image: i}]', /cannot have same name: c/],
  [
    'on-failure: [{name: c, image: i, on-failure: [{name: d, image: i}]}]',
    /an on-failure action cannot have on-failure actions itself/,
  ],
];

for (const [extension, expected] of refusals) {
  test(`refuses ${extension}`, () => assert.match(JSON.stringify(rendered(extension)), expected));
}
