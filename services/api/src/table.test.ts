import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bmcJobKind,
  bmcMachineKind,
  hardwareKind,
  workflowKind,
  type BmcJob,
  type BmcMachine,
  type Hardware,
  type Kind,
  type Resource,
  type Workflow,
} from '@tinkerbell/resources';
import { tableOf } from './table.ts';

test('a workflow shows its pause, and in wide output attempts, backoff, breakpoints and the last operation', () => {
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

test('a machine shows its MAC, its address, and the state of its newest workflow', () => {
  const hardware: Hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'm1', namespace: 'default' },
    spec: {
      interfaces: [
        { dhcp: { mac: '08:00:27:00:00:01', ip: { address: '192.0.2.1', netmask: '255.255.255.0' } } },
        { dhcp: { mac: '08:00:27:00:00:02' } },
      ],
    },
  };
  const workflow = (state: string, day: number, status: object = {}) =>
    ({
      metadata: { creationTimestamp: `2026-01-0${day}T00:00:00Z` },
      status: { state, ...status },
    }) as Workflow;
  const cellsOf = (...workflows: readonly Workflow[]) => {
    const view = { workflowsByHardware: () => workflows };
    const options = { kind: hardwareKind, nowMs: 0, resourceVersion: '1', includeObject: 'None', view };
    return (tableOf([hardware], options) as { rows: { cells: unknown[] }[] }).rows[0]?.cells.slice(0, 4);
  };
  const macs = '08:00:27:00:00:01,08:00:27:00:00:02';
  assert.deepEqual(cellsOf(), ['m1', 'no workflow', macs, '192.0.2.1']);
  const cancelled = workflow('FAILED', 2, { conditions: [{ type: 'Cancelled', status: 'True' }] });
  assert.equal(cellsOf(workflow('SUCCESS', 1), cancelled)?.[1], 'CANCELLED');
  assert.equal(cellsOf(workflow('SUCCESS', 3), cancelled)?.[1], 'SUCCESS');
});

test('a BMC shows its host, its power and why it cannot be reached, and a Job how far it is', () => {
  const machine: BmcMachine = {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'lab' },
    spec: { connection: { host: '192.0.2.9', insecureTLS: true } },
    status: {
      powerState: 'unknown',
      conditions: [
        { type: 'Contactable', status: 'False', message: 'unreachable: no answer; check the cable' },
      ],
    },
  };
  const job: BmcJob = {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'lab' },
    spec: { machineRef: { name: 'm', namespace: 'lab' }, tasks: [{ powerAction: 'on' }] },
    status: { conditions: [{ type: 'Running', status: 'True' }], startTime: '2026-01-01T00:00:00Z' },
  };
  const cells = (resource: Resource, kind: Kind) => {
    const { rows } = tableOf([resource], { kind, nowMs: 0, includeObject: 'None', resourceVersion: '1' }) as {
      rows: { cells: string[] }[];
    };
    return rows[0]?.cells.slice(0, -1);
  };
  assert.deepEqual(cells(machine, bmcMachineKind), ['m', '192.0.2.9', 'unknown', 'unreachable']);
  assert.deepEqual(cells(job, bmcJobKind), ['j', 'm', 'Running']);
  job.status?.conditions?.push({ type: 'Completed', status: 'True' });
  assert.deepEqual(cells(job, bmcJobKind), ['j', 'm', 'Completed']);
});
