/**
 * A shell for the reader of a guide: `tink`, `tinkerbell` and `kubectl` on the PATH, a running server, and a
 * separate folder.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { startServer } from '../start-server.ts';

const checkout = join(import.meta.dirname, '../../..');
const agentMain = join(checkout, 'apps/agent/src/main.ts');

/** The limit for a command that nothing ends. */
const COMMAND_MS_MAX = 40_000;

export interface Ended {
  /** Both output streams. */
  readonly printed: string;
  readonly hasFailed: boolean;
}

export interface GuideSession extends AsyncDisposable {
  write(name: string, text: string): void;
  /** `isEnough` ends a command that follows something. Until then it must not fail. */
  run(text: string, isEnough?: (printed: string) => boolean): Promise<Ended>;
  /** A real agent, which runs commands of the images busybox and alpine on this machine. */
  startAgent(id: string): void;
}

export async function openGuideSession(kubectlPath: string): Promise<GuideSession> {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-docs-'));
  const work = join(folder, 'work');
  for (const name of ['work', 'bin', 'home']) mkdirSync(join(folder, name));
  symlinkSync(join(checkout, 'bin/tink'), join(folder, 'bin/tink'));
  symlinkSync(kubectlPath, join(folder, 'bin/kubectl'));
  writeFileSync(join(folder, 'bin/tinkerbell'), serverCommand);
  chmodSync(join(folder, 'bin/tinkerbell'), 0o755);
  // Makes an answer of 400 or more a failure of curl.
  writeFileSync(join(folder, 'home/.curlrc'), 'fail\nshow-error\nsilent\n');
  const port = await freePort();
  const flags = ['--tink-server-bind-port', String(port), '--tootles-legacy-port', '0'];
  const server = await startServer({ dataDirectory: join(work, 'data'), flags });
  const agents: ChildProcess[] = [];
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: join(folder, 'home'),
    USER: 'operator',
    KUBECONFIG: join(work, 'data/kubeconfig'),
    EDITOR: 'true',
    TOKEN: readFileSync(join(work, 'data/local/token'), 'utf8').trim(),
  };
  return {
    write(name, text) {
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), text);
    },
    run: (text, isEnough) =>
      ended(text.replaceAll('127.0.0.1:7080', new URL(server.url).host), { cwd: work, env }, isEnough),
    startAgent(id) {
      const own = ['--id', id, '--grpc-server', `127.0.0.1:${port}`, '--attribute-detection=false'];
      const spool = ['--spool-directory', join(folder, 'spool')];
      agents.push(
        spawn(process.execPath, [agentMain, ...own, ...spool], { cwd: work, env, stdio: 'ignore' }),
      );
    },
    async [Symbol.asyncDispose]() {
      for (const agent of agents) {
        const gone = once(agent, 'exit');
        agent.kill('SIGKILL');
        await gone;
      }
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * A start of the server becomes a check of its settings, because one runs already, and the networks of
 * examples do not exist here.
 */
const serverCommand = `#!/bin/sh
case "\${1--}" in -*) set -- config check "$@" ;; esac
exec "${checkout}/node_modules/.bin/node" "${checkout}/apps/server/src/main.mjs" "$@"
`;

async function ended(
  text: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
  isEnough?: (printed: string) => boolean,
): Promise<Ended> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', text], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let isStopped = false;
  const stop = () => {
    if (isStopped || child.pid === undefined || child.exitCode !== null) return;
    isStopped = true;
    process.kill(-child.pid, 'SIGKILL');
  };
  const look = () => isEnough?.(printed) === true && stop();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
      look();
    });
  // A command that follows something and gets nothing new prints nothing either. It is started again, and
  // runs no longer than any command.
  const asking = setInterval(look, 250);
  const limit = setTimeout(() => {
    printed += `\n(ended after ${COMMAND_MS_MAX / 1000} s)`;
    stop();
    isStopped = false;
  }, COMMAND_MS_MAX);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(asking);
  clearTimeout(limit);
  return { printed, hasFailed: !isStopped && code !== 0 };
}
