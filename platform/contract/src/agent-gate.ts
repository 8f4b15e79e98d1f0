/** Decides which agent may act for which machine. The composition root passes no gate where agents need no session. */
import type { AgentRefusal, WorkflowPlace } from '@tinkerbell/agent-identity';
import type { Mac } from '@tinkerbell/wire';

export interface AgentCall {
  readonly agentId: string;
  /** The credential that the agent presented. */
  readonly session: string | undefined;
  /** `report` changes state. Every other kind only reads. */
  readonly purpose: 'read' | 'report';
}

/** A session that was accepted. */
export interface AgentSession {
  /** The id in hexadecimal. */
  readonly id: string;
  readonly mac: Mac;
  /** Absent for a session that is bound to the first workflow it gets. */
  readonly workflow?: WorkflowPlace;
}

export type AgentAdmission =
  /** The call is allowed without a session, because none is required. */
  | { readonly ok: true; readonly session?: AgentSession }
  | { readonly ok: false; readonly refusal: AgentRefusal };

export type ExchangedToken =
  | { readonly ok: true; readonly session: string; readonly expiresSeconds: number }
  | { readonly ok: false; readonly refusal: AgentRefusal; readonly mac?: Mac };

/** Calls reject when the store is unreachable. */
export interface AgentGate {
  admit(call: AgentCall): Promise<AgentAdmission>;
  /**
   * Exchanges a boot token for a session. The session is durable when the promise resolves, and replaces the machine's earlier
   * one.
   */
  exchange(request: { readonly agentId: string; readonly bootToken: string }): Promise<ExchangedToken>;
  /** Runs before the first action is assigned. Refuses when the session belongs to another workflow or has ended. */
  bind(session: AgentSession, workflow: WorkflowPlace): Promise<AgentRefusal | undefined>;
}

export type VerifiedSession =
  | {
      readonly ok: true;
      /** Records that the machine has booted from it. */
      readonly mac: Mac;
      readonly hardware: { readonly namespace: string; readonly name: string };
    }
  | { readonly ok: false; readonly refusal: AgentRefusal };

/** Checks what machines read over HTTP. */
export interface SessionVerifier {
  /** Returns the machine whose live session it is. Rejects when the store is unreachable. */
  verify(session: string): Promise<VerifiedSession>;
}

/** The HTTP header, and the gRPC metadata entry, that carries a session. */
export const SESSION_HEADER = 'x-tinkerbell-session';

export interface BootTokenMint {
  /** Returns a token for one boot of a machine, bound to the workflow with that uid. Computed in memory. */
  mint(mac: Mac, workflowUid: string | undefined): string;
}
