import { homedir, userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { ProcessTerminal } from './terminal.ts';

const COLUMNS_WHEN_UNKNOWN = 80;

export function createNodeTerminal(): ProcessTerminal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  process.stdout.on('error', endWhenNobodyReads);
  return {
    out: (line) => void process.stdout.write(line),
    err: (line) => void process.stderr.write(line),
    isTty: process.stdout.isTTY,
    columns: () => process.stdout.columns ?? COLUMNS_WHEN_UNKNOWN,
    readInput: () => text(process.stdin),
    environment: process.env,
    homeDirectory: homedir(),
    userName: loginName(),
    clock: nodeClock,
    random: nodeRandom,
    signal: interrupted.signal,
  };
}

/** A user id without an entry in passwd, common in containers, becomes the name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** `tink get hardware | head -1` closes our output early, which is not a failure. */
function endWhenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
