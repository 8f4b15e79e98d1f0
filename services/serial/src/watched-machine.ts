/** Finds the BMC of a Hardware. */
import { pinnedConnection, type PinnedConnection } from '@tinkerbell/bmc';
import { bmcMachineKind, collectionOf, type BmcMachine, type Hardware } from '@tinkerbell/resources';
import { Collection, type View } from '@tinkerbell/store-contract';

export interface WatchedMachine {
  /** `<namespace>/<name>` of the Machine. */
  readonly key: string;
  readonly connection: PinnedConnection;
}

export const machineCollection = new Collection<BmcMachine>(collectionOf(bmcMachineKind));

/** A text says why there is none, and what to do. */
export function watchedMachine(view: View, { metadata, spec }: Hardware): WatchedMachine | string {
  const name = spec?.bmcRef?.name ?? '';
  if (name === '') return `hardware/${metadata.name} has no BMC: set spec.bmcRef to the name of a Machine`;
  const { namespace } = metadata;
  const machine = machineCollection
    .all(view)
    .find((one) => one.metadata.name === name && one.metadata.namespace === namespace);
  const connection = machine && pinnedConnection(machine);
  if (connection === undefined) return `there is no Machine ${namespace}/${name}, which spec.bmcRef names`;
  return { key: `${namespace}/${name}`, connection };
}
