import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executionOf } from './execution.ts';

const kindOf = (image: string, runtime?: 'crun', environment: Record<string, string> = {}) =>
  executionOf({ image, environment }, { builtInActions: 'auto', runtime }).kind;

/** Image, with a container runtime, without one. */
const rows = [
  ['quay.io/tinkerbell/actions/image2disk:v1', 'built-in', 'built-in'],
  ['quay.io/tinkerbell-actions/cexec:v1.0.0', 'built-in', 'built-in'],
  ['10.0.0.1:5000/mirror/tinkerbell/actions/kexec@sha256:' + 'a'.repeat(64), 'built-in', 'built-in'],
  ['ghcr.io/jacobweinstock/waitdaemon:latest', 'wait-daemon', 'wait-daemon'],
  ['alpine', 'built-in', 'built-in'],
  ['docker.io/library/busybox:1.36', 'built-in', 'built-in'],
  ['registry.example/alpine', 'container', 'refused'],
  ['registry.example/team/busybox:1', 'container', 'refused'],
  ['quay.io/tinkerbell/actions/alpine', 'container', 'refused'],
  ['registry.example/image2disk:v1', 'container', 'built-in'],
  ['ghcr.io/tinkerbell/cidataio:latest', 'built-in', 'built-in'],
  ['quay.io/tinkerbell/actions/unknown:latest', 'container', 'refused'],
  ['library/alpine', 'built-in', 'built-in'],
  ['UPPER/case', 'container', 'refused'],
] as const;
for (const [image, withRuntime, without] of rows)
  test(`${image} is ${withRuntime} with crun, and ${without} without`, () => {
    assert.equal(kindOf(image, 'crun'), withRuntime);
    assert.equal(kindOf(image), without);
  });

test('the flag, and the variable of an action, disable built-in actions', () => {
  const never = { builtInActions: 'never', runtime: 'crun' } as const;
  assert.deepEqual(executionOf({ image: 'alpine', environment: {} }, never), {
    kind: 'container',
    runtime: 'crun',
  });
  const environment = { TINKERBELL_BUILT_IN_ACTIONS: 'never' };
  assert.equal(kindOf('alpine', 'crun', environment), 'container');
  assert.equal(kindOf('alpine', undefined, environment), 'refused');
  const auto = { TINKERBELL_BUILT_IN_ACTIONS: 'auto' };
  assert.equal(executionOf({ image: 'alpine', environment: auto }, never).kind, 'built-in');
});
