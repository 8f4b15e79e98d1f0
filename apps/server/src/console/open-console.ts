/** The web console: its files, its sessions and the ways to sign in. */
import { join } from 'node:path';
import type { Authenticator, Clock, Random, Service } from '@tinkerbell/platform-contract';
import { nodeFiles, openNodeEndpointHttp } from '@tinkerbell/platform-node';
import {
  createConsoleService,
  createOneTimeLinks,
  createSessions,
  type OidcSignIn,
  type Sessions,
} from '@tinkerbell/service-console';
import type { OidcSettings } from '../access/access-settings.ts';
import type { LocalCredential } from '../local/local-credential.ts';
import type { Settings } from '../settings/settings.ts';
import { VERSION } from '../version.ts';
import { createSeal } from './session-seal.ts';

const directory = join(import.meta.dirname, '../../../../out/console');

interface WebConsoleDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly authenticator: Authenticator;
  readonly sessionSecret: Uint8Array;
  readonly credential: LocalCredential;
  readonly login: OidcSettings | undefined;
  /** The other services of this server. */
  readonly services: readonly Service[];
}

interface WebConsole {
  /** All services of this server. */
  readonly services: readonly Service[];
  /** Undefined if the console is disabled. */
  readonly sessions: Sessions | undefined;
  /** Returns a fragment of the path that signs in once as the administrator of this server. Undefined if the console is disabled. */
  readonly newConsoleLink: () => string | undefined;
}

export function openConsole(
  { webConsole }: Settings,
  deps: WebConsoleDeps,
  cleanup: AsyncDisposableStack,
): WebConsole {
  const { random, sessionSecret, authenticator, credential, services } = deps;
  if (!webConsole) return { services, sessions: undefined, newConsoleLink: () => undefined };
  const sessions = createSessions({ seal: createSeal(sessionSecret, 'console sessions', random), ...deps });
  const links = createOneTimeLinks(deps);
  const names = [...new Set(services.map(({ name }) => name))];
  const oidc = deps.login && oidcSignIn(deps.login, deps, cleanup);
  const own = { sessions, authenticator, links, oidc, localToken: credential.token };
  const service = createConsoleService(
    { ...own, files: nodeFiles, version: VERSION, services: names },
    { directory },
  );
  return { services: [...services, service], sessions, newConsoleLink: () => `#${links.create()}` };
}

/** Loads the library with the first sign-in. */
function oidcSignIn(
  settings: OidcSettings,
  { random, sessionSecret }: WebConsoleDeps,
  cleanup: AsyncDisposableStack,
): OidcSignIn {
  const endpoint = cleanup.use(openNodeEndpointHttp());
  const seal = createSeal(sessionSecret, 'console sign-ins', random);
  const flow = async () =>
    (await import('./oidc-code-flow.ts')).createCodeFlow(settings, { endpoint, random, seal });
  return {
    issuer: settings.issuer,
    begin: async (redirectUri) => (await flow()).begin(redirectUri),
    finish: async (answer) => (await flow()).finish(answer),
  };
}
