/** `/console/`: the files of the web console, and its sessions. */
import {
  pathNameOf,
  WholeResponse,
  type Files,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { builtFile, SECURITY_HEADERS } from './built-files.ts';
import { sessionAnswer, type SessionDeps } from './session-route.ts';

export interface ConsoleDeps extends SessionDeps {
  readonly files: Files;
}

export interface ConsoleConfig {
  /** The folder of the build. It may be absent, and may appear while the server runs. */
  readonly directory: string;
}

const SESSION = '/console/session';

export function createConsoleService(deps: ConsoleDeps, { directory }: ConsoleConfig): Service {
  const ended = Promise.withResolvers<void>();
  const handle = async (request: HttpRequest): Promise<Response | undefined> => {
    const path = pathNameOf(request.url);
    if (path === '/console') return moved();
    if (!path.startsWith('/console/')) return undefined;
    if (path === SESSION) return sessionAnswer(deps, request);
    return builtFile({ files: deps.files, directory }, request);
  };
  const route: HttpRoute = { name: 'console', prefix: '/console', access: 'public', handle };
  return {
    name: 'console',
    routes: [route],
    async start(signal) {
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health: () => ({ ready: true }),
  };
}

function moved(): Response {
  return new WholeResponse('', { status: 308, headers: { ...SECURITY_HEADERS, location: '/console/' } });
}
