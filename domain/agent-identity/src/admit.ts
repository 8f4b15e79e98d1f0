/** Decides whether a call in the name of an agent is allowed. */
import { bytesToHex } from '@tinkerbell/wire';
import type { AgentRecord } from './agent-record.ts';
import { agentRefusal, type AgentRefusal } from './refusal.ts';
import type { SessionToken } from './token.ts';

/** `optional`: an agent without a token is allowed, like upstream's agents, unless the machine has a session. */
export type AgentAuthMode = 'off' | 'optional' | 'required';

/** The state of a session. It is `finished` while repeats of the last report are still accepted. */
export type SessionLife = 'live' | 'finished' | 'ended';

/** How long an agent may still report after the end of its workflow. */
export const REPORTS_AFTER_END_MS = 60_000;

export interface AdmitInput {
  readonly mode: AgentAuthMode;
  /** Decoded and verified by `checkToken`. Undefined when the call has no token. */
  readonly presented: SessionToken | undefined;
  /** The records of the machines that the agent id names, or of the machine that the token is for. */
  readonly records: readonly AgentRecord[];
  readonly lifeOf: (record: AgentRecord) => SessionLife;
  readonly nowSeconds: number;
  /** `report` changes state. All other calls read. */
  readonly purpose: 'read' | 'report';
}

export type Admitted =
  | { readonly ok: true; readonly record?: AgentRecord }
  | { readonly ok: false; readonly refusal: AgentRefusal };

export function admit(input: AdmitInput): Admitted {
  const { mode, presented, records } = input;
  if (mode === 'off') return { ok: true };
  if (presented !== undefined) return admitSession(input, presented);
  const isHeld = records.some((record) => isLive(record, input));
  return mode === 'required' || isHeld ? refused('no-token') : { ok: true };
}

/** Checks a session without reading the store. Returns undefined when there is no objection. */
export function checkToken(
  token: SessionToken,
  { agentId, nowSeconds }: { readonly agentId: string; readonly nowSeconds: number },
): AgentRefusal | undefined {
  if (token.expiresSeconds <= nowSeconds) return agentRefusal('expired');
  return token.agentId === agentId ? undefined : agentRefusal('another-machine');
}

function admitSession({ records, lifeOf, purpose }: AdmitInput, token: SessionToken): Admitted {
  const record = records.find(({ sessionId }) => sessionId === bytesToHex(token.sessionId));
  if (record === undefined) return refused('fenced');
  const life = lifeOf(record);
  const isInTime = life === 'live' || (life === 'finished' && purpose === 'report');
  return isInTime ? { ok: true, record } : refused('ended');
}

function isLive(record: AgentRecord, { lifeOf, nowSeconds }: AdmitInput): boolean {
  return record.expiresSeconds > nowSeconds && lifeOf(record) === 'live';
}

function refused(reason: AgentRefusal['reason']): Admitted {
  return { ok: false, refusal: agentRefusal(reason) };
}
