export { createConsoleService, type ConsoleConfig, type ConsoleDeps } from './console-service.ts';
export { createOneTimeLinks, type OneTimeLinks } from './one-time-links.ts';
export { createSessions, type Seal, type SessionCredential, type Sessions } from './sessions.ts';
export type { OidcSignIn, SignInFailure } from './oidc-sign-in.ts';
