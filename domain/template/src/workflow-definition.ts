/** A rendered template: what a workflow will run. Names follow the YAML; times are in seconds, 0 when not given. */
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
  /** `host` to share the agent's process ids. */
  readonly pid: string;
  readonly namespaces: { readonly network: string; readonly pid: string };
  /** What follows is ours; upstream ignores it. How often a failed action is tried again. */
  readonly retries?: number;
  /** Before the first retry; each further one waits twice as long. */
  readonly backoffSeconds?: number;
  /** What happens when the agent restarts in the middle of the action. */
  readonly onInterrupted?: OnInterrupted;
  /** As rendered; an empty one, `false`, `0` and `no` skip the action. */
  readonly if?: string;
  /** Run by the same agent after the action has failed for good. */
  readonly onFailure?: readonly ActionDefinition[];
}

/** Run it again, fail the workflow, or pause it and ask the operator. */
export const ON_INTERRUPTED = ['retry', 'fail', 'ask'] as const;
export type OnInterrupted = (typeof ON_INTERRUPTED)[number];
