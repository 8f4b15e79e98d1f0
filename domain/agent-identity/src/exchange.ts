/** Exchanges a boot token for the session of a machine, once. The new session replaces the previous one. */
import { bytesToHex } from '@tinkerbell/wire';
import type { AgentRecord, WorkflowPlace } from './agent-record.ts';
import { agentRefusal, type AgentRefusal } from './refusal.ts';
import type { BootToken } from './token.ts';

/** A machine that boots continuously gets scripts more often than it exchanges its token. */
const NONCES_MAX = 256;

export interface ExchangeInput {
  /** The record of the machine. Undefined before its first session. */
  readonly record: AgentRecord | undefined;
  readonly token: BootToken;
  readonly nowSeconds: number;
  readonly session: {
    /** In hex. */
    readonly id: string;
    readonly agentId: string;
    readonly expiresSeconds: number;
    /** The workflow of the token, or undefined when it is for none. */
    readonly workflow: WorkflowPlace | undefined;
  };
}

/** The record to write, if it has not changed in between. */
export function exchange({
  record,
  token,
  nowSeconds,
  session,
}: ExchangeInput): { readonly record: AgentRecord } | { readonly refusal: AgentRefusal } {
  if (token.expiresSeconds <= nowSeconds) return { refusal: agentRefusal('expired') };
  const nonce = bytesToHex(token.nonce);
  const used = Object.entries(record?.nonces ?? {}).filter(([, expires]) => expires > nowSeconds);
  // A full list may have dropped this nonce. One more boot is better than a token that is valid twice.
  if (used.length >= NONCES_MAX || used.some(([one]) => one === nonce))
    return { refusal: agentRefusal('replayed') };
  const { id, agentId, expiresSeconds, workflow } = session;
  return {
    record: {
      sessionId: id,
      agentId,
      expiresSeconds,
      ...(workflow === undefined ? {} : { workflow }),
      nonces: Object.fromEntries([...used, [nonce, token.expiresSeconds]]),
    },
  };
}
