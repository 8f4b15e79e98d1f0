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
}
