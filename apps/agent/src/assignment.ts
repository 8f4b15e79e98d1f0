import type { ActionResponse } from '@tinkerbell/api/agent';

/** An action for this agent. */
export interface Assignment {
  readonly action: ActionResponse;
  /** 0 if the protocol has no attempts. */
  readonly attempt: number;
  /** Aborts, with a text as its reason, when the action must stop. */
  readonly cancelled: AbortSignal;
  readonly output: OutputSink;
}

export interface OutputSink {
  /** One line without its line break. */
  readonly write: (stream: 'stdout' | 'stderr' | 'progress', line: string) => void;
  /** Resolves when the server has acknowledged all lines, or after a short time limit. */
  settled(): Promise<void>;
}
