/** The inventory of a machine from its Redfish resources. */
import { objectsIn, textIn, type RedfishObject } from '@tinkerbell/redfish';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import { cpuOf, gpusOf, memoryOf, tpmsOf } from './compute-parts.ts';
import { interfaceOf, networkOf, type RawAdapter } from './network-parts.ts';
import { componentOf, countIn, identityOf, isAbsent, present, statusOf, unlessEmpty } from './part-fields.ts';
import { blockDevicesOf, controllersOf, type RawStorage } from './storage-parts.ts';

/** Resources as the service sent them. What it does not have is empty. */
export interface RawInventory {
  readonly system: RedfishObject;
  readonly processors: readonly RedfishObject[];
  readonly memory: readonly RedfishObject[];
  readonly storages: readonly RawStorage[];
  readonly adapters: readonly RawAdapter[];
  readonly interfaces: readonly RedfishObject[];
  readonly chassis: RedfishObject | undefined;
  readonly powerSupplies: readonly RedfishObject[];
  readonly manager: RedfishObject | undefined;
  readonly managerInterfaces: readonly RedfishObject[];
}

export function inventoryOf(raw: RawInventory): OutOfBandAttributes {
  const { system, processors } = raw;
  return present({
    collectionMethod: 'redfish',
    bios: unlessEmpty(present({ firmwareVersion: textIn(system, 'BiosVersion') })),
    blockDevices: listed(blockDevicesOf(raw.storages)),
    bmc: bmcOf(raw),
    chassis: unlessEmpty(identityOf(raw.chassis)),
    cpu: cpuOf(processors),
    gpuDevices: listed(gpusOf(processors)),
    memory: memoryOf(system, raw.memory),
    networkInterfaces: listed(networkOf(raw.adapters, raw.interfaces)),
    product: productOf(system),
    psus: listed(raw.powerSupplies.filter((one) => !isAbsent(one)).map(powerSupplyOf)),
    storageControllers: listed(controllersOf(raw.storages)),
    tpms: listed(tpmsOf(objectsIn(system, 'TrustedModules'))),
  });
}

function listed<Part>(parts: readonly Part[]): Part[] | undefined {
  return parts.length === 0 ? undefined : [...parts];
}

function productOf(system: RedfishObject) {
  const name = textIn(system, 'Model') ?? textIn(system, 'Name');
  return unlessEmpty(present({ ...identityOf(system), name, status: statusOf(system) }));
}

function bmcOf({ manager, managerInterfaces }: RawInventory) {
  const [first] = managerInterfaces;
  const nic = first === undefined ? undefined : interfaceOf(first);
  return unlessEmpty(present({ ...componentOf(manager), nic }));
}

function powerSupplyOf(supply: RedfishObject) {
  return present({
    ...componentOf(supply),
    description: textIn(supply, 'Name'),
    powerCapacityWatts: countIn(supply, 'PowerCapacityWatts'),
  });
}
