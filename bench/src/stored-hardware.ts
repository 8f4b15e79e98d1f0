import { createNodeLog } from '@tinkerbell/platform-node';
import { openSqliteStore } from '@tinkerbell/store-sqlite';

import { hardwareOf } from './machines.ts';

/** Writes directly to the store, while no server runs on it. */
export async function storeHardware(path: string, count: number): Promise<void> {
  await using store = openSqliteStore({ path, log: createNodeLog({ level: 'silent', format: 'json' }) });
  const writes = Array.from({ length: count }, (_, index) => {
    const object = hardwareOf(index);
    const key = { collection: 'hardware.tinkerbell.org', ...object.metadata };
    return { operation: 'create', key, object } as const;
  });
  const result = await store.commit(writes);
  if (!result.ok) throw new Error(`the store refuses the Hardware: ${result.reason}`);
}
