/** A terminal that records its output, for tests. */
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { ProcessTerminal } from '../output/terminal.ts';

export interface RecordingTerminal extends ProcessTerminal {
  readonly printed: { out: string; err: string };
  /** Resolves with the match when standard output plus standard error match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  interrupt(): void;
}

export interface RecordingOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly isTty?: boolean;
}

export function createRecordingTerminal({
  environment,
  input = '',
  isTty = false,
}: RecordingOptions): RecordingTerminal {
  const printed = { out: '', err: '' };
  const interrupted = new AbortController();
  let waiting: (() => void)[] = [];
  const add = (stream: 'out' | 'err') => (text: string) => {
    printed[stream] += text;
    const waiters = waiting;
    waiting = [];
    for (const notify of waiters) notify();
  };
  return {
    printed,
    out: add('out'),
    err: add('err'),
    isTty,
    columns: () => 80,
    readInput: () => Promise.resolve(input),
    environment,
    homeDirectory: '/nonexistent',
    userName: 'alice',
    clock: nodeClock,
    random: nodeRandom,
    signal: interrupted.signal,
    interrupt: () => interrupted.abort(),
    async until(pattern) {
      for (;;) {
        const match = pattern.exec(printed.out + printed.err);
        if (match !== null) return match;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}
