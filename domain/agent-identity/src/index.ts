export {
  admit,
  checkToken,
  REPORTS_AFTER_END_MS,
  type Admitted,
  type AgentAuthMode,
  type SessionLife,
} from './admit.ts';
export { leaseOf, recordIn, recordNameOf, type AgentRecord, type WorkflowPlace } from './agent-record.ts';
export { exchange } from './exchange.ts';
export { agentRefusal, isForeign, type AgentRefusal, type AgentRefusalReason } from './refusal.ts';
export {
  BOOT_NONCE_BYTES,
  decodeToken,
  encodeBootToken,
  encodeSessionToken,
  NO_WORKFLOW,
  SESSION_ID_BYTES,
  workflowMark,
  type BootToken,
  type SessionToken,
} from './token.ts';
export type { TokenKey } from './token-key.ts';
