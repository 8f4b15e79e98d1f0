/**
 * A rendered template: what a workflow will run. Names follow the YAML. Times are in seconds, and 0 when not
 * given.
 */
export interface WorkflowDefinition {
  readonly name: string;
  readonly globalTimeoutSeconds: number;
  readonly tasks: readonly TaskDefinition[];
}

export interface TaskDefinition {
  readonly name: string;
  /** The id of the agent that runs the task. */
  readonly worker: string;
  readonly volumes: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  readonly actions: readonly ActionDefinition[];
}

export interface ActionDefinition {
  readonly name: string;
  readonly image: string;
  readonly timeoutSeconds: number;
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  /** `host` shares the agent's process ids. */
  readonly pid: string;
  readonly namespaces: { readonly network: string; readonly pid: string };
  /**
   * The number of retries of a failed action. This field and those below are ours, and upstream ignores them.
   */
  readonly retries?: number;
  /** The delay before the first retry. It doubles with each further one. */
  readonly backoffSeconds?: number;
  /** What happens when the agent restarts during the action. */
  readonly onInterrupted?: OnInterrupted;
  /** The rendered condition. An empty one, `false`, `0` and `no` skip the action. */
  readonly if?: string;
  /** Actions that the same agent runs after the action has finally failed. */
  readonly onFailure?: readonly ActionDefinition[];
}

/** Run it again, fail the workflow, or pause it and ask the operator. */
export const ON_INTERRUPTED = ['retry', 'fail', 'ask'] as const;
export type OnInterrupted = (typeof ON_INTERRUPTED)[number];
