export { createAgentSessions, type AgentSessions } from './agent-sessions.ts';
export { identityKeyPlace, openIdentityKey } from './identity-key.ts';
