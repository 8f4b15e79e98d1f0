/** Creates workflows and reads them back, over the API. */
import { pause } from './simulated-agent.ts';
import type { FinalWorkflow } from './journals.ts';

const COLLECTIONS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const RETRY_MS = 30;
const ANSWER_MS = 3_000;
const ACTIONS = ['one', 'two', 'three', 'four'];

/** Two tasks, of two agents where the workflow names two. */
function templateText(): string {
  const action = (name: string) => `
      - name: ${name}
        image: example.org/${name}:v1`;
  return `version: "0.1"
name: crash
global_timeout: 0
tasks:
  - name: first
    worker: "{{ .device_1 }}"
    actions:${ACTIONS.slice(0, 3).map(action).join('')}
  - name: second
    worker: "{{ .device_2 }}"
    actions:${ACTIONS.slice(3).map(action).join('')}
`;
}

export function template() {
  return { collection: 'templates', kind: 'Template', name: 'crash', spec: { data: templateText() } };
}

export function workflow(name: string, [first, second]: readonly [string, string]) {
  const spec = { templateRef: 'crash', hardwareMap: { device_1: first, device_2: second } };
  return { collection: 'workflows', kind: 'Workflow', name, spec };
}

/**
 * Repeats the request until the server accepts it, or reports that the object exists because the answer to an
 * earlier request was lost. Returns false when `signal` aborts before.
 */
export async function createUntilAcknowledged(
  url: string,
  { collection, kind, name, spec }: { collection: string; kind: string; name: string; spec: object },
  signal: AbortSignal,
): Promise<boolean> {
  const body = JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', kind, metadata: { name }, spec });
  while (!signal.aborted) {
    try {
      const response = await fetch(`${url}${COLLECTIONS}/${collection}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await response.text();
      if (response.ok || response.status === 409) return true;
      if (response.status < 500) throw new TypeError(`the server refuses ${name}: ${text}`);
    } catch (error) {
      if (error instanceof TypeError && /refuses/.test(error.message)) throw error;
    }
    await pause(RETRY_MS);
  }
  return false;
}

interface StoredWorkflow {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly state?: string;
    readonly tasks?: readonly {
      readonly actions: readonly {
        readonly name: string;
        readonly state: string;
        readonly attempt?: number;
      }[];
    }[];
  };
}

export async function readWorkflows(url: string): Promise<ReadonlyMap<string, FinalWorkflow>> {
  const response = await fetch(`${url}${COLLECTIONS}/workflows`);
  const { items } = (await response.json()) as { items: readonly StoredWorkflow[] };
  return new Map(
    items.map(({ metadata, status = {} }) => {
      const actions = (status.tasks ?? [])
        .flatMap((task) => task.actions)
        .map(({ name, state, attempt = 0 }) => ({ name, state, attempt }));
      return [`default/${metadata.name}`, { state: status.state ?? '', actions }];
    }),
  );
}
