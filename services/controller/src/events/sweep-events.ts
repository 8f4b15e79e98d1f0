/** Deletes Events after an hour, like upstream's cluster (kube-apiserver's --event-ttl). */
import type { Event } from '@tinkerbell/resources';
import { eachPage, type Store } from '@tinkerbell/store-contract';
import { eventCollection } from './event-collection.ts';

const KEPT_MS = 3_600_000;

/** Deletes older Events of any writer, except those updated meanwhile. Resolves with the number of deleted Events. */
export async function sweepEvents(store: Store, nowMs: number): Promise<number> {
  let gone = 0;
  for await (const page of eachPage(store, { collection: eventCollection.name }))
    for (const stored of page) {
      if (!eventCollection.holds(stored) || nowMs - lastMs(stored.object) < KEPT_MS) continue;
      const { key, revision } = stored;
      const result = await store.commit([{ operation: 'delete', key, expectedRevision: revision }]);
      if (result.ok) gone += 1;
    }
  return gone;
}

/** An Event without a readable time counts as expired. */
function lastMs({ lastTimestamp, firstTimestamp, metadata }: Event): number {
  return Date.parse(lastTimestamp ?? firstTimestamp ?? metadata.creationTimestamp ?? '') || 0;
}
