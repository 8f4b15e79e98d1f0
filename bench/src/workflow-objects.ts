/** The Templates and Workflows of the benchmark of workflows, and their results. */
import { createMany, createObject, type ApiObject } from './api-client.ts';
import { addressesOf, hardwareOf } from './machines.ts';

const CREATE_CONCURRENCY = 32;
const PREPARED_DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 200;
const PAGE = 500;

export function templateOf(name: string, actions: number): ApiObject {
  const action = (index: number) => `      - name: action-${index}
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 600
        environment:
          IMG_URL: "http://10.199.0.1:7080/images/{{ (index .Hardware.Interfaces 0).DHCP.Hostname }}.img.zst"
          DEST_DISK: {{ index .Hardware.Disks 0 }}
`;
  const data = `version: "0.1"
name: ${name}
global_timeout: 1800
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions:
${Array.from({ length: actions }, (_, index) => action(index)).join('')}`;
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name, namespace: 'default' },
    spec: { data },
  };
}

export function workflowOf(name: string, template: string, machine: number): ApiObject {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default' },
    spec: {
      templateRef: template,
      hardwareRef: `machine-${machine}`,
      hardwareMap: { device_1: addressesOf(machine).mac },
    },
  };
}

/** Creates the machines 0 to `machines - 1`, and Templates `one` and `ten` with as many actions. */
export async function createSite(url: string, machines: number): Promise<void> {
  await createMany(url, { count: machines, concurrency: CREATE_CONCURRENCY }, hardwareOf);
  await createObject(url, templateOf('one', 1));
  await createObject(url, templateOf('ten', 10));
}

/**
 * Creates Workflows `<name>-0` and on, each for the machine of its number. Resolves when all are rendered and
 * wait for their agents.
 */
export async function createWorkflows(
  url: string,
  { name, template, count }: { readonly name: string; readonly template: string; readonly count: number },
): Promise<void> {
  await createMany(url, { count, concurrency: CREATE_CONCURRENCY }, (index) =>
    workflowOf(`${name}-${index}`, template, index),
  );
  const deadlineMs = performance.now() + PREPARED_DEADLINE_MS;
  for (;;) {
    const waiting = (await listWorkflows(url)).filter(({ status }) => (status?.state ?? '') === '').length;
    if (waiting === 0) return;
    if (performance.now() > deadlineMs) throw new Error(`${waiting} Workflows are not rendered`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** The fields of a Workflow that are used here. */
export interface ListedWorkflow {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly state?: string;
    readonly tasks?: readonly { readonly actions: readonly ListedAction[] }[];
  };
}

interface ListedAction {
  readonly state?: string;
  readonly attempt?: number;
  readonly executionStart?: string;
}

export async function listWorkflows(url: string): Promise<readonly ListedWorkflow[]> {
  const items: ListedWorkflow[] = [];
  for (let next = ''; ;) {
    const path = `/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows?limit=${PAGE}`;
    const response = await fetch(
      `${url}${path}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`,
    );
    if (!response.ok) throw new Error(`the server lists no Workflows: ${await response.text()}`);
    const page = (await response.json()) as {
      readonly items: readonly ListedWorkflow[];
      readonly metadata: { readonly continue?: string };
    };
    items.push(...page.items);
    next = page.metadata.continue ?? '';
    if (next === '') return items;
  }
}

/** Counts the durable changes of actions by their status: assigned, RUNNING, SUCCESS. */
export function transitionsOf(workflows: readonly ListedWorkflow[]): number {
  const actions = workflows.flatMap(({ status }) => (status?.tasks ?? []).flatMap((task) => task.actions));
  return actions.reduce((sum, { attempt = 0, executionStart, state }) => {
    const started = executionStart === undefined ? 0 : 1;
    return sum + attempt + started + (state === 'SUCCESS' ? 1 : 0);
  }, 0);
}
