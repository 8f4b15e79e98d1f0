/** Records of BMC operations in the timeline of the machine. */
import { primaryMacOf, type Hardware } from '@tinkerbell/resources';
import {
  hardwareCollection,
  type Journal,
  type JournalEntry,
  type NamespacedName,
  type View,
} from '@tinkerbell/store-contract';

export interface BmcEvent {
  readonly event: string;
  readonly message: string;
  readonly details?: JournalEntry['details'];
}

/** The machine is that of the Hardware whose `bmcRef` names the Machine. Without one, the record belongs to no machine. */
export function recordForMachine(
  { view, journal }: { readonly view: View; readonly journal: Journal },
  machine: NamespacedName,
  { event, message, details }: BmcEvent,
): void {
  const mac = primaryMacOf(hardwareOfBmc(view, machine));
  journal.append({
    source: 'bmc',
    event,
    message,
    ...(mac === undefined ? {} : { machine: mac }),
    details: { bmcMachine: `${machine.namespace}/${machine.name}`, ...details },
  });
}

export function hardwareOfBmc(view: View, { namespace, name }: NamespacedName): Hardware | undefined {
  return hardwareCollection
    .all(view)
    .find(({ metadata, spec }) => metadata.namespace === namespace && spec?.bmcRef?.name === name);
}
