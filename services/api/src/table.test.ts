import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowKind, type Workflow } from '@tinkerbell/resources';
import { tableOf } from './table.ts';

test('a workflow is shown with its pause, and wide with attempts, backoff, breakpoints and the last operation', () => {
  const notBefore = '2026-11-21T12:00:05.000Z';
  const time = '2026-11-21T12:00:00Z';
  const workflow: Workflow = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace: 'default' },
    status: {
      state: 'RUNNING',
      paused: true,
      operations: [
        { verb: 'skip', who: 'bob', time },
        { verb: 'pause', who: 'alice', time },
      ],
      tasks: [
        {
          id: 't',
          name: 't',
          agentID: 'x',
          actions: [
            { id: '1', name: 'a', attempt: 2, notBefore },
            { id: '2', name: 'b', breakpoint: true },
            { id: '3', name: 'c', attempt: 1, breakpoint: true },
          ],
        },
      ],
    },
  };
  const options = { kind: workflowKind, nowMs: 0, resourceVersion: '1', includeObject: 'None' };
  const table = tableOf([workflow], options) as {
    columnDefinitions: { name: string; priority: number }[];
    rows: { cells: unknown[] }[];
  };
  const row = Object.fromEntries(
    table.columnDefinitions.map(({ name }, index) => [name, table.rows[0]?.cells[index]]),
  );
  assert.equal(row['State'], 'RUNNING (paused)');
  assert.deepEqual(
    [row['Attempts'], row['Not-Before'], row['Breakpoints'], row['Last-Operation']],
    ['3', notBefore, 'b,c', 'pause by alice'],
  );
  const usual = table.columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name);
  assert.deepEqual(usual, ['Name', 'Template', 'State', 'Action', 'Agent', 'Hardware', 'Age']);
});
