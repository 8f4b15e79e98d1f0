/** Which agent may speak for which machine, as services ask it. Whoever composes gives none where nobody is asked. */
import type { AgentRefusal, WorkflowPlace } from '@tinkerbell/agent-identity';
import type { Mac } from '@tinkerbell/wire';

export interface AgentCall {
  readonly agentId: string;
  /** What was presented. */
  readonly session: string | undefined;
  /** `report`: says something; all else reads. */
  readonly purpose: 'read' | 'report';
}

/** A session that was let in. */
export interface AgentSession {
  /** In hex. */
  readonly id: string;
  readonly mac: Mac;
  /** Absent: it is bound to the first workflow it gets. */
  readonly workflow?: WorkflowPlace;
}

export type AgentAdmission =
  /** Without a session where none is asked for. */
  | { readonly ok: true; readonly session?: AgentSession }
  | { readonly ok: false; readonly refusal: AgentRefusal };

export type ExchangedToken =
  | { readonly ok: true; readonly session: string; readonly expiresSeconds: number }
  | { readonly ok: false; readonly refusal: AgentRefusal; readonly mac?: Mac };

/** Calls reject when the store cannot be asked. */
export interface AgentGate {
  admit(call: AgentCall): Promise<AgentAdmission>;
  /** A boot token for a session, which is durable when it resolves, and in place of the machine's session before. */
  exchange(request: { readonly agentId: string; readonly bootToken: string }): Promise<ExchangedToken>;
  /** Before the first action is handed out; a refusal when the session has another workflow, or is over. */
  bind(session: AgentSession, workflow: WorkflowPlace): Promise<AgentRefusal | undefined>;
}

export type VerifiedSession =
  | {
      readonly ok: true;
      /** That the machine has booted from. */
      readonly mac: Mac;
      readonly hardware: { readonly namespace: string; readonly name: string };
    }
  | { readonly ok: false; readonly refusal: AgentRefusal };

/** For what machines read over HTTP. */
export interface SessionVerifier {
  /** Whose live session it is. Rejects when the store cannot be asked. */
  verify(session: string): Promise<VerifiedSession>;
}

/** The header, and the entry of gRPC's metadata, in which a session is presented. */
export const SESSION_HEADER = 'x-tinkerbell-session';

export interface BootTokenMint {
  /** A token for one boot of a machine, bound to the workflow with that uid; from memory. */
  mint(mac: Mac, workflowUid: string | undefined): string;
}
