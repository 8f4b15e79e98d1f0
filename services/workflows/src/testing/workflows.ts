/** Workflows as the controller renders them. */
import type { Workflow, WorkflowAction } from '@tinkerbell/resources';
import { statusOf } from '@tinkerbell/workflow';

interface TaskOutline {
  readonly worker: string;
  readonly actions: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** PENDING, with ids `w-1`, `w-2`, ... in the order of tasks, each before its actions. */
export function pendingWorkflow(
  tasks: readonly TaskOutline[],
  change: (action: WorkflowAction) => WorkflowAction = (action) => action,
  name = 'w',
): Workflow {
  let ids = 0;
  const rendered = tasks.map(({ worker, actions, environment = {} }, index) => ({
    name: `task-${index + 1}`,
    worker,
    volumes: ['/task:/task'],
    environment: new Map(Object.entries(environment)),
    actions: actions.map((one) => ({
      name: one,
      image: `quay.io/tinkerbell/actions/${one}:latest`,
      timeoutSeconds: 60,
      command: ['run', one],
      volumes: ['/action:/action'],
      environment: new Map([['ACTION', one]]),
      pid: 'host',
      namespaces: { network: '', pid: '' },
    })),
  }));
  const status = statusOf({ name, globalTimeoutSeconds: 0, tasks: rendered }, () => `${name}-${++ids}`);
  const changed = (status.tasks ?? []).map((task) => ({ ...task, actions: task.actions.map(change) }));
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'default' },
    spec: { hardwareRef: 'm1' },
    status: { ...status, tasks: changed, state: 'PENDING' },
  };
}
