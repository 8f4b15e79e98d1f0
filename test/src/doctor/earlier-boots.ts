/** Writes what a server has from earlier times into its data folder, while it does not run. */
import { join } from 'node:path';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import type { ApiObject } from '@tinkerbell/sandbox';
import type { JournalEntry } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { openSqliteStore } from '@tinkerbell/store-sqlite';

/** The server needs five boots to know a duration. */
const MACS = Array.from({ length: 5 }, (_, at) => `52:54:00:99:00:0${at}`);
const ADDRESS_MS = 12_000;
const DAY_MS = 24 * 3_600_000;
const log = createNodeLog({ level: 'error', format: 'text' });

/** Machines that have booted before. */
export const neighbours: readonly ApiObject[] = MACS.map((mac, at) => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: `neighbour-${at}`, namespace: 'default' },
  spec: { interfaces: [{ dhcp: { mac } }] },
}));

/** Writes a boot of each neighbour, from which a server knows how long a machine takes from power-on to its first packet. */
export async function writeEarlierBoots(dataDirectory: string, startSeconds: number): Promise<void> {
  let nowMs = Date.now() - DAY_MS;
  const clock = { ...nodeClock, nowMs: () => nowMs };
  await using journal = openSqliteJournal({ path: pathIn(dataDirectory), clock, log });
  for (const machine of MACS) {
    const from = (source: JournalEntry['source'], event: string, details = {}): void => {
      journal.append({ machine, source, event, message: event, details });
    };
    from('workflow', 'boot-job-completed');
    nowMs += startSeconds * 1000;
    from('dhcp', 'offer-sent', { client: 'PXE firmware', file: 'undionly.kpxe', type: 'discover' });
    nowMs += ADDRESS_MS;
    from('agent', 'action-served');
    from('workflow', 'state-changed', { from: 'RUNNING', to: 'SUCCESS' });
  }
}

/** Writes another Hardware with the same MAC, which the API refuses since there is a rule. */
export async function writeTwin(dataDirectory: string, hardware: ApiObject): Promise<void> {
  await using store = openSqliteStore({ path: pathIn(dataDirectory), log });
  const name = 'twin';
  const result = await store.commit([
    {
      operation: 'create',
      key: { collection: 'hardware.tinkerbell.org', namespace: 'default', name },
      object: {
        ...hardware,
        metadata: {
          name,
          namespace: 'default',
          uid: 'c5a3c0ab-1f0e-4a6b-9c7e-0c9f2f0a7d11',
          creationTimestamp: new Date(Date.now() - DAY_MS).toISOString(),
        },
      },
    },
  ]);
  if (!result.ok) throw new Error(result.message);
}

function pathIn(dataDirectory: string): string {
  return join(dataDirectory, 'tinkerbell.db');
}
