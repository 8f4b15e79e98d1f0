/** The reason why a call is refused. The set is closed, because it labels counters. */
export type AgentRefusalReason = keyof typeof texts;

export interface AgentRefusal {
  readonly reason: AgentRefusalReason;
  /** For the console of the calling machine. It names no other machine and no workflow. */
  readonly message: string;
}

const texts = {
  'no-token': 'no session: boot this machine with a script of this server, which gives its agent a token',
  invalid: 'the token is not from this server, or has another purpose',
  expired: 'the token has expired; boot the machine again',
  replayed: 'the boot token was used before; boot the machine again',
  fenced: 'a newer boot of this machine has begun another session, and this one has ended',
  ended: 'the workflow of this session has ended: boot the machine again for the next one',
  'another-machine': 'the session belongs to another machine',
  'another-workflow': 'the session belongs to another workflow',
  claim: 'the token that the proxy has checked names another machine, or none',
} as const;

export function agentRefusal(reason: AgentRefusalReason): AgentRefusal {
  return { reason, message: texts[reason] };
}

/** True when the caller is known but lacks permission: gRPC's PERMISSION_DENIED. Otherwise UNAUTHENTICATED. */
export function isForeign(reason: AgentRefusalReason): boolean {
  return reason === 'another-machine' || reason === 'another-workflow' || reason === 'claim';
}
