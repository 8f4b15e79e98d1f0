/** Runs `image2disk` as the agent does: in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ACTION_FLAGS, RUN_ACTION_ARGUMENT } from '@tinkerbell/app-agent';
import { giveOrder } from '@tinkerbell/app-agent/testing/built-in-order';

const AGENT_MAIN = join(import.meta.dirname, '../../../apps/agent/src/main.ts');

export interface ActionEnd {
  readonly ok: boolean;
  /** Of the action, or its error. */
  readonly message: string;
}

export interface ActionChild {
  readonly pid: number;
  readonly ended: Promise<ActionEnd>;
  isRunning(): boolean;
  /** Resolves when so many bytes are on the disk, or at the end. */
  hasWritten(bytes: number): Promise<unknown>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
}

export interface ActionChildOrder {
  readonly url: string;
  readonly disk: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Of the agent's machine, which the action shows to the server of the image. */
  readonly session?: string | undefined;
  /** The beginning of the command line: a program that executes the rest. */
  readonly prefix?: readonly string[];
}

/** The kernel kills it when this process is gone. */
export function startImage2disk({
  url,
  disk,
  environment,
  session,
  prefix = [],
}: ActionChildOrder): ActionChild {
  const command = [process.execPath, ...ACTION_FLAGS, AGENT_MAIN, RUN_ACTION_ARGUMENT];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...prefix, ...command], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, ...(session === undefined ? {} : sessionFor(session, url)) },
  });
  let said = '';
  const progress = Promise.withResolvers<void>();
  let [wanted, reached] = [Number.POSITIVE_INFINITY, progress.resolve];
  child.stderr?.on('data', (text) => (said = `${said}${String(text)}`.slice(-2000)));
  const resultOf = giveOrder(child, {
    image: 'image2disk',
    environment: { IMG_URL: url, DEST_DISK: disk, RETRY_ENABLED: 'true', ...environment },
    onProgress({ doneBytes = 0 }) {
      if (doneBytes >= wanted) reached();
    },
  });
  const exited = once(child, 'exit');
  const ended = exited.then(([code, signal]): ActionEnd => {
    const result = resultOf() ?? { ok: false, error: `${signal ?? code} ${said}` };
    return { ok: result.ok, message: result.ok ? result.message : result.error };
  });
  return {
    pid: child.pid ?? -1,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    hasWritten(bytes) {
      wanted = bytes;
      return Promise.race([progress.promise, ended]);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** As the agent passes it: `actions/kit/src/agent-session.ts`. */
function sessionFor(session: string, url: string): Readonly<Record<string, string>> {
  return { TINKERBELL_SESSION: session, TINKERBELL_SESSION_ORIGINS: new URL(url).origin };
}
