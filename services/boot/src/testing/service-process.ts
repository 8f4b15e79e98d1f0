/** Starts `serve.ts` in its own network namespace. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { NetbootSettings } from '@tinkerbell/netboot';

export interface ServeOptions {
  readonly ipxeDirectory: string;
  readonly networkInterfaces: readonly string[];
  readonly singlePort: boolean;
  readonly mode?: NetbootSettings['mode'];
  /** The netboot object of the one Hardware. */
  readonly netboot?: object;
  readonly workflowState?: string;
  /** The settings of the one Hardware. Default: 192.168.77.10 and one hour. */
  readonly address?: string;
  readonly leaseSeconds?: number;
  /** No Hardware at all. */
  readonly isEmpty?: boolean;
  /** Further Hardware, as created by `furtherMachine`. */
  readonly furtherMachines?: number;
  /** Detects offers of other servers. */
  readonly watchesLink?: boolean;
  /** A range in the syntax of `parseAddressPool`. */
  readonly pool?: string;
}

export interface ServiceProcess {
  /** The service's journal, one JSON record each. */
  readonly lines: readonly string[];
  /** Resolves when the condition is met. It is checked with every line. */
  until(holds: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when the service listens. */
export async function startService(namespace: string, options: ServeOptions): Promise<ServiceProcess> {
  const program = new URL('serve.ts', import.meta.url).pathname;
  const words = ['netns', 'exec', namespace, process.execPath, program, JSON.stringify(options)];
  const child = spawn('ip', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'ready') return resolve();
    lines.push(line);
    for (const look of waiting) look();
  });
  await promise;
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  return {
    lines,
    until: (holds) =>
      new Promise<void>((held) => {
        const look = () => {
          if (!holds()) return;
          waiting.delete(look);
          held();
        };
        waiting.add(look);
        look();
      }),
    async stop() {
      child.kill();
      await ended;
    },
  };
}
