/** Whether a call that speaks for an agent may go on. */
import { bytesToHex } from '@tinkerbell/wire';
import type { AgentRecord } from './agent-record.ts';
import { agentRefusal, type AgentRefusal } from './refusal.ts';
import type { SessionToken } from './token.ts';

/** `optional`: who presents nothing is let in as upstream's agents are, unless the machine has a session. */
export type AgentAuthMode = 'off' | 'optional' | 'required';

/** Of a session: `finished` while repeats of the last report are still taken. */
export type SessionLife = 'live' | 'finished' | 'ended';

/** For how long after the end of its workflow an agent may still report. */
export const REPORTS_AFTER_END_MS = 60_000;

export interface AdmitInput {
  readonly mode: AgentAuthMode;
  /** Decoded and checked by `checkToken`; undefined when nothing was presented. */
  readonly presented: SessionToken | undefined;
  /** Those of the machines that the agent id is the name of, or of the machine that the token is for. */
  readonly records: readonly AgentRecord[];
  readonly lifeOf: (record: AgentRecord) => SessionLife;
  readonly nowSeconds: number;
  /** `report`: says something; all else reads. */
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

/** What can be said of a session without asking the store; undefined when nothing speaks against it. */
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
