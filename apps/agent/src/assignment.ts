import type { ActionResponse } from '@tinkerbell/api/agent';

/** An action that this agent is to run. */
export interface Assignment {
  readonly action: ActionResponse;
  /** 0 where the protocol has no attempts. */
  readonly attempt: number;
  /** Aborts, with a text as its reason, when the action must not go on. */
  readonly cancelled: AbortSignal;
  readonly output: OutputSink;
}

export interface OutputSink {
  /** One line, without its end. */
  readonly write: (stream: 'stdout' | 'stderr' | 'progress', line: string) => void;
  /** Resolves when the server has all lines, or does not take them soon. */
  settled(): Promise<void>;
}
