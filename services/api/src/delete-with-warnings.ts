/**
 * Deletion with warnings. A Hardware may be deleted under a Workflow, like upstream, because GitOps tools and the deletion of
 * a namespace do so in any order. The caller gets a warning, and the timelines of both get a record.
 */
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import type { Journal, NamespacedName, View } from '@tinkerbell/store-contract';
import { deleteObject, type DeleteDeps } from './delete-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { ResourceTarget } from './request-target.ts';
import { deletionWarnings, unfinishedOn } from './unfinished.ts';

export interface Deleted {
  /** The result of `deleteObject`. */
  readonly answer: object;
  readonly warnings: readonly string[];
}

interface Deps extends DeleteDeps {
  readonly view: View;
  readonly journal: Pick<Journal, 'append'>;
}

/** Throws an ApiError. */
export async function deleteWithWarnings(
  deps: Deps,
  target: ResourceTarget,
  options: DeleteOptions,
): Promise<Deleted> {
  const { kind, namespace = '', name = '' } = target;
  // Read the view before it drops the object.
  const hardware = kind.kind === 'Hardware' ? deps.view.hardwareNamed(namespace, name) : undefined;
  const workflows = hardware === undefined ? [] : unfinishedOn(deps.view, hardware);
  const answer = await deleteObject(deps, target, options);
  if (hardware === undefined || hardware.metadata.deletionTimestamp !== undefined)
    return { answer, warnings: [] };
  if (!options.dryRun) for (const one of workflows) record(deps, hardware, one.metadata);
  return { answer, warnings: deletionWarnings(hardware, workflows) };
}

function record({ journal }: Deps, hardware: Hardware, { namespace, name }: NamespacedName): void {
  const machine = primaryMacOf(hardware);
  journal.append({
    source: 'workflow',
    event: 'hardware-deleted',
    ...(machine === undefined ? {} : { machine }),
    workflow: `${namespace}/${name}`,
    message: `hardware ${hardware.metadata.name} was deleted before workflow ${name} ended`,
  });
}
