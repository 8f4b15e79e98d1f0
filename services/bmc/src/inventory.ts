/** The parts of a machine, as its BMC reports them, in the status of its Hardware. */
import { INVENTORY_CONDITION, pinnedConnection, withCondition } from '@tinkerbell/bmc';
import { BmcError } from '@tinkerbell/engine-bmc';
import type { BmcMachine, Hardware, OutOfBandAttributes } from '@tinkerbell/resources';
import { hardwareCollection, type NamespacedName } from '@tinkerbell/store-contract';
import { callBmc } from './call-bmc.ts';
import { machineCollection } from './collections.ts';
import type { Reconciling } from './config.ts';
import { timeOf } from './status-times.ts';
import { hardwareOfBmc, recordForMachine } from './timeline.ts';

/** Set by an operator on a Machine to read its parts now. The controller removes it. */
export const REFRESH = 'tinkerbell.org/refresh-inventory';
/** Set by an operator on a Machine whose parts must not be read. */
const DISABLED = 'tinkerbell.org/disable-outofband-inventory';

/** Milliseconds until the parts are due. Infinite: never. */
export function nextInventoryMs({ config, view, clock }: Reconciling, machine: BmcMachine): number {
  const place = placeOf(machine);
  const { annotations } = machine.metadata;
  if (config.inventoryMs === undefined || annotations?.[DISABLED] === 'true') return Infinity;
  const hardware = hardwareOfBmc(view, place);
  if (hardware === undefined) return Infinity;
  if (annotations?.[REFRESH] !== undefined) return 0;
  const last = Date.parse(hardware.status?.attributes?.outOfBand?.lastUpdated ?? '');
  return Number.isNaN(last) ? 0 : Math.max(0, last + config.inventoryMs - clock.nowMs());
}

/** Does nothing unless the parts are due. A BMC that cannot report them leaves the old report. */
export async function collectInventory(deps: Reconciling, machine: BmcMachine): Promise<void> {
  const hardware = hardwareOfBmc(deps.view, placeOf(machine));
  const connection = pinnedConnection(machine);
  if (hardware === undefined || connection === undefined || nextInventoryMs(deps, machine) > 0) return;
  try {
    const parts = await callBmc(deps, connection, {
      kind: 'inventory',
      name: 'read the inventory',
      isRepeatable: true,
      run: (session) =>
        session.inventory?.().then((found) => ({ collectionMethod: session.provider, ...found })),
    });
    await store(deps, hardware, parts);
    await showResult(deps, machine, { status: 'True' });
  } catch (thrown) {
    if (!(thrown instanceof BmcError)) throw thrown;
    const message = `the BMC does not report the parts of the machine: ${thrown.code}: ${thrown.message}`;
    recordForMachine(deps, placeOf(machine), { event: 'bmc-inventory-failed', message });
    // As after a report, so that it is tried again when the next one is due.
    await store(deps, hardware, hardware.status?.attributes?.outOfBand ?? {});
    await showResult(deps, machine, { status: 'False', message });
  }
  await removeRefresh(deps, machine);
}

/** Answers an operator who asked for the parts of a machine whose BMC does not work. */
export async function refuseInventory(deps: Reconciling, machine: BmcMachine, why: string): Promise<void> {
  if (machine.metadata.annotations?.[REFRESH] === undefined) return;
  await showResult(deps, machine, { status: 'False', message: why });
  await removeRefresh(deps, machine);
}

async function store(deps: Reconciling, { metadata }: Hardware, parts: OutOfBandAttributes): Promise<void> {
  const { namespace, name } = metadata;
  const outOfBand = { ...parts, lastUpdated: timeOf(deps.clock.nowMs()) };
  const updated = await hardwareCollection.update(deps.store, { namespace, name }, (hardware) => ({
    object: {
      ...hardware,
      status: { ...hardware.status, attributes: { ...hardware.status?.attributes, outOfBand } },
    },
  }));
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
}

async function showResult(
  deps: Reconciling,
  machine: BmcMachine,
  result: { readonly status: 'True' | 'False'; readonly message?: string },
): Promise<void> {
  const updated = await machineCollection.update<'unchanged'>(deps.store, placeOf(machine), (current) => {
    const { conditions } = current.status ?? {};
    const old = conditions?.find(({ type }) => type === INVENTORY_CONDITION);
    if (old?.status === result.status && old.message === result.message) return { refusal: 'unchanged' };
    const lastUpdateTime = timeOf(deps.clock.nowMs());
    const condition = { type: INVENTORY_CONDITION, ...result, lastUpdateTime };
    return {
      object: { ...current, status: { ...current.status, conditions: withCondition(conditions, condition) } },
    };
  });
  if (!updated.ok && updated.kind === 'unavailable') throw new Error(updated.message);
}

async function removeRefresh(deps: Reconciling, machine: BmcMachine): Promise<void> {
  if (machine.metadata.annotations?.[REFRESH] === undefined) return;
  await machineCollection.update<'absent'>(deps.store, placeOf(machine), (current) => {
    const { [REFRESH]: refresh, ...annotations } = current.metadata.annotations ?? {};
    if (refresh === undefined) return { refusal: 'absent' };
    return { object: { ...current, metadata: { ...current.metadata, annotations } } };
  });
}

function placeOf({ metadata }: BmcMachine): NamespacedName {
  return { namespace: metadata.namespace, name: metadata.name };
}
