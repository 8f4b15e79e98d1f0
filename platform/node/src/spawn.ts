import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  PlatformError,
  type Spawn,
  type SpawnedProcess,
  type SpawnOptions,
} from '@tinkerbell/platform-contract';

export const nodeSpawn: Spawn = {
  start(options) {
    return new Promise((resolve, reject) => {
      const child = spawn(options.command, [...options.arguments], {
        cwd: options.directory,
        env: options.environment === undefined ? process.env : { ...options.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
      child.once('error', (cause) => reject(spawnError(options, cause)));
      child.once('spawn', () => {
        const stop = () => killGroup(child.pid);
        options.signal?.addEventListener('abort', stop, { once: true });
        if (options.signal?.aborted) stop();
        const exited: SpawnedProcess['exited'] = new Promise((settle) => {
          child.once('close', (code, signal) => {
            options.signal?.removeEventListener('abort', stop);
            settle({ code: code ?? undefined, signal: signal ?? undefined });
          });
        });
        child.stdin.on('error', () => undefined);
        resolve({
          pid: child.pid ?? -1,
          stdin: Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
          stdout: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
          stderr: Readable.toWeb(child.stderr) as ReadableStream<Uint8Array>,
          exited,
        });
      });
    });
  },
};

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function spawnError(options: SpawnOptions, cause: NodeJS.ErrnoException): PlatformError {
  const code = cause.code === 'ENOENT' ? 'not-found' : 'unavailable';
  return new PlatformError(code, `cannot start ${options.command}`, { cause });
}
