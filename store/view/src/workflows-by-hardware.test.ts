import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow } from '@tinkerbell/resources';
import { WorkflowsByHardware } from './workflows-by-hardware.ts';

const workflowOf = (namespace: string, name: string, hardwareRef?: string): Workflow => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { namespace, name },
  spec: { templateRef: 't', ...(hardwareRef === undefined ? {} : { hardwareRef }) },
});

test('Hardware of one name in two namespaces has its own workflows', () => {
  const index = new WorkflowsByHardware();
  const [one, other] = [workflowOf('a', 'w', 'm1'), workflowOf('b', 'w', 'm1')];
  for (const workflow of [one, other, workflowOf('a', 'without')])
    index.replace(undefined, { object: workflow });
  assert.deepEqual(index.get('a', 'm1'), [one]);
  assert.deepEqual(index.get('b', 'm1'), [other]);
  assert.deepEqual(index.get('c', 'm1'), []);
  assert.deepEqual(index.get('a', ''), []);
});

test('follows a workflow to other Hardware, and forgets it once it is deleted', () => {
  const index = new WorkflowsByHardware();
  const [before, after] = [{ object: workflowOf('a', 'w', 'm1') }, { object: workflowOf('a', 'w', 'm2') }];
  index.replace(undefined, before);
  index.replace(before, after);
  assert.deepEqual([index.get('a', 'm1'), index.get('a', 'm2')], [[], [after.object]]);
  index.replace(after, undefined);
  assert.deepEqual(index.get('a', 'm2'), []);
  index.replace(undefined, before);
  index.clear();
  assert.deepEqual(index.get('a', 'm1'), []);
});
