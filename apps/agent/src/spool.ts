/**
 * The report of a finished action, stored on the machine until the server has acknowledged it. If the agent crashes or the server
 * is unreachable, the action does not run again.
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { MachineEffect } from '@tinkerbell/action-kit';

export interface FinishedAction {
  readonly workflowId: string;
  readonly agentId: string;
  readonly taskId: string;
  readonly actionId: string;
  readonly actionName: string;
  /** 0 if the protocol has no attempts. */
  readonly attempt: number;
  readonly state: 'SUCCESS' | 'FAILED' | 'TIMEOUT';
  /** Milliseconds since the Unix epoch, on this machine's clock. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly message: string;
  /** Runs once the report is acknowledged. */
  readonly followUp?: FollowUp;
}

export type FollowUp =
  | { readonly kind: 'machine'; readonly effect: MachineEffect }
  | {
      /** An image that waitdaemon starts some time after its own success. */
      readonly kind: 'action';
      readonly image: string;
      readonly waitMs: number;
      readonly command: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      /** Timeout of the image. 0 or undefined (written by an older agent): the default limit. */
      readonly timeoutSeconds?: number;
    };

export interface Spool {
  /** Returns when the record survives a crash of this process. */
  store(finished: FinishedAction): Promise<void>;
  /** Returns the unacknowledged report or undefined. */
  pending(): Promise<FinishedAction | undefined>;
  clear(): Promise<void>;
}

export function createSpool(directory: string): Spool {
  const path = join(directory, 'report.json');
  return {
    async store(finished) {
      await mkdir(directory, { recursive: true });
      const handle = await open(`${path}.partial`, 'w', 0o600);
      try {
        await handle.writeFile(JSON.stringify(finished));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${path}.partial`, path);
    },
    async pending() {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) return undefined;
      try {
        // Written only by this program.
        return JSON.parse(text) as FinishedAction;
      } catch {
        // A damaged disk. The server assigns the action again, or times it out.
        await rm(path, { force: true });
        return undefined;
      }
    },
    async clear() {
      await rm(path, { force: true });
    },
  };
}
