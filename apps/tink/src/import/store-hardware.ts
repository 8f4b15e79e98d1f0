/** Stores many objects with a few concurrent requests. Skips unchanged objects, so an import can be repeated. */
import { eachAtOnce } from '@tinkerbell/platform-contract';
import { hardwareKind, type Resource } from '@tinkerbell/resources';
import { planWrite, type Operation } from '../apply/apply-plan.ts';
import { InterruptedFailure, TinkFailure } from '../failure.ts';
import { UnreachableFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';
import type { ImportedObject } from './hardware-csv.ts';

/** Concurrent requests. */
const PARALLEL = 8;

export type ImportSummary = Record<Operation | 'failed', number>;

export interface StoreOptions {
  readonly dryRun: boolean;
  readonly progress: (done: number) => void;
  readonly refused: (place: string, why: string) => void;
}

/** The rejection of one object does not stop the others. An unreachable server does. */
export async function storeHardware(
  { client }: Session,
  objects: readonly ImportedObject[],
  { dryRun, progress, refused }: StoreOptions,
): Promise<ImportSummary> {
  const { items } = await client.list(hardwareKind, {});
  const existing = new Map(items.map((one) => [keyOf(one), one]));
  const summary: ImportSummary = { created: 0, configured: 0, unchanged: 0, failed: 0 };
  let done = 0;
  const store = async ({ resource, place }: ImportedObject): Promise<void> => {
    const { operation, object } = planWrite(hardwareKind, resource, existing.get(keyOf(resource)));
    try {
      if (operation === 'created') await client.create(hardwareKind, object, { dryRun });
      if (operation === 'configured') await client.replace(hardwareKind, object, { dryRun });
      summary[operation] += 1;
    } catch (thrown) {
      if (
        !(thrown instanceof TinkFailure) ||
        thrown instanceof UnreachableFailure ||
        thrown instanceof InterruptedFailure
      )
        throw thrown;
      summary.failed += 1;
      refused(place, thrown.message);
    }
    progress(++done);
  };
  await eachAtOnce(objects, PARALLEL, store);
  return summary;
}

function keyOf({ metadata }: Resource): string {
  return `${metadata.namespace}/${metadata.name}`;
}
