import { createNodeLog } from '@tinkerbell/platform-node';
import { validateResource } from '@tinkerbell/resources';
import { openSqliteStore } from '@tinkerbell/store-sqlite';

import { hardwareOf } from './machines.ts';

/** Writes directly to the store what the API would store, while no server runs on it. */
export async function storeHardware(path: string, count: number): Promise<void> {
  await using store = openSqliteStore({ path, log: createNodeLog({ level: 'silent', format: 'json' }) });
  const writes = Array.from({ length: count }, (_, index) => {
    const checked = validateResource(hardwareOf(index));
    if (!checked.ok) throw new Error(`Hardware ${index} is invalid: ${checked.problems[0]?.message}`);
    const object = checked.resource;
    const { name, namespace } = object.metadata;
    const key = { collection: 'hardware.tinkerbell.org', namespace, name };
    return { operation: 'create', key, object } as const;
  });
  const result = await store.commit(writes);
  if (!result.ok) throw new Error(`the store refuses the Hardware: ${result.reason}`);
}
