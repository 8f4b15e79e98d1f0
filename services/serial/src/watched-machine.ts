/** Finds the BMC of a Hardware. */
import { pinnedConnection, type PinnedConnection } from '@tinkerbell/bmc';
import type { Hardware } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';

export interface WatchedMachine {
  /** `<namespace>/<name>` of the Machine. */
  readonly key: string;
  readonly connection: PinnedConnection;
}

/** Returns the BMC, or a message for the operator when the Hardware has none. */
export function watchedMachine(view: View, { metadata, spec }: Hardware): WatchedMachine | string {
  const name = spec?.bmcRef?.name ?? '';
  if (name === '') return `hardware/${metadata.name} has no BMC: set spec.bmcRef to the name of a Machine`;
  const { namespace } = metadata;
  const machine = view.bmcMachineNamed(namespace, name);
  const connection = machine && pinnedConnection(machine);
  if (connection === undefined) return `there is no Machine ${namespace}/${name}, which spec.bmcRef names`;
  return { key: `${namespace}/${name}`, connection };
}
