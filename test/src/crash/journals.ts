/**
 * The records of the three sides of a crash run: the creators of workflows, the agents, and at the end the
 * server.
 */

export interface ActionName {
  /** `<namespace>/<name>` */
  readonly workflow: string;
  readonly action: string;
}

/** The acts of one agent, in order. `started`: its RUNNING was acknowledged, and it did the work. */
export type AgentEntry = ActionName & {
  readonly agent: string;
  readonly event: 'started' | 'report-sent' | 'report-acknowledged';
  readonly state: 'RUNNING' | 'SUCCESS' | 'FAILED';
};

export interface Journals {
  /** Workflows whose creation was acknowledged. */
  readonly created: ReadonlySet<string>;
  readonly agents: readonly AgentEntry[];
  /** The workflows that the server has at the end, by `<namespace>/<name>`. */
  readonly workflows: ReadonlyMap<string, FinalWorkflow>;
}

export interface FinalAction {
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
}

export interface FinalWorkflow {
  readonly state: string;
  /** The actions of all tasks, in order. */
  readonly actions: readonly FinalAction[];
}
