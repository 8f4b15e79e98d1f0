import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { namedAdvice } from './named-advice.ts';

const ADVICE = ['tink logs WORKFLOW.', 'tink edit template TEMPLATE, or tink boot MACHINE.'];

function hardware(namespace: string): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1', namespace },
    spec: { interfaces: [] },
  };
}

function workflow(name: string, namespace = 'default'): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace },
    spec: { templateRef: `${name}-template`, hardwareRef: 'm1', hardwareMap: {} },
  };
}

test('advice has the names of the machine, of its workflow and of the template', () => {
  const workflows = [workflow('one'), workflow('two')];
  const facts = { hardware: hardware('default'), workflows, unfinished: workflows.slice(0, 1), boot: [] };
  assert.deepEqual(namedAdvice(ADVICE, facts), [
    'tink logs one.',
    'tink edit template one-template, or tink boot m1.',
  ]);
  assert.equal(namedAdvice(ADVICE, facts, 'default/two')[0], 'tink logs two.');
});

test('commands name the namespace where it is not the usual one', () => {
  const facts = { hardware: hardware('lab'), workflows: [workflow('one', 'lab')], unfinished: [], boot: [] };
  assert.deepEqual(namedAdvice(ADVICE, facts), [
    'tink logs one -n lab.',
    'tink edit template one-template -n lab, or tink boot m1 -n lab.',
  ]);
});

test('what is not known stays as it is', () => {
  assert.deepEqual(namedAdvice(ADVICE, { unfinished: [], boot: [] }), ADVICE);
});
