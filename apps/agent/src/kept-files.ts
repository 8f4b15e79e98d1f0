/**
 * The files that the agent keeps on the machine. Only this program writes them, and it renames them into place when they are
 * complete.
 */
import type { MachineEffect } from '@tinkerbell/action-kit';

export interface KeptSession {
  /** The boot token that the session was exchanged for. */
  readonly bootToken: string;
  readonly session: string;
  /** The HTTP origins of the server that the session may be sent to. */
  readonly origins: readonly string[];
}

export interface FinishedAction {
  readonly workflowId: string;
  readonly agentId: string;
  readonly taskId: string;
  readonly actionId: string;
  readonly actionName: string;
  /** 0 if the protocol has no attempts. */
  readonly attempt: number;
  readonly state: 'SUCCESS' | 'FAILED' | 'TIMEOUT';
  /** Milliseconds since the Unix epoch, on this machine's clock. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly message: string;
  /** Runs once the report is acknowledged. */
  readonly followUp?: FollowUp;
}

export type FollowUp =
  | { readonly kind: 'machine'; readonly effect: MachineEffect }
  | {
      /** An image that waitdaemon starts some time after its own success. */
      readonly kind: 'action';
      readonly image: string;
      readonly waitMs: number;
      readonly command: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      /** Timeout of the image. 0 or undefined (written by an older agent): the default limit. */
      readonly timeoutSeconds?: number;
      /** For a container. Absent when an older agent wrote it. */
      readonly volumes?: readonly string[];
      readonly pidNamespace?: string;
      readonly networkNamespace?: string;
    };

export function keptSessionIn(text: string): KeptSession {
  return JSON.parse(text) as KeptSession;
}

export function finishedActionIn(text: string): FinishedAction {
  return JSON.parse(text) as FinishedAction;
}
