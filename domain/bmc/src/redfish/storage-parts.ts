/** The schemas Storage, StorageController and Drive. */
import { booleanIn, objectsIn, textIn, type RedfishObject } from '@tinkerbell/redfish';
import { componentOf, countIn, identityOf, isAbsent, present, statusOf } from './part-fields.ts';

export interface RawStorage {
  readonly storage: RedfishObject;
  /** Members of the collection Controllers, which replaces the array StorageControllers since schema 1.9. */
  readonly controllers: readonly RedfishObject[];
  readonly drives: readonly RedfishObject[];
}

export function controllersOf(storages: readonly RawStorage[]) {
  return storages.flatMap(({ storage, controllers }) => {
    const found = controllers.length > 0 ? controllers : objectsIn(storage, 'StorageControllers');
    return found.map((one) => present({ ...componentOf(one), description: textIn(one, 'Name') }));
  });
}

export function blockDevicesOf(storages: readonly RawStorage[]) {
  return storages
    .flatMap(({ drives }) => drives)
    .filter((one) => !isAbsent(one))
    .map((one) =>
      present({
        ...identityOf(one),
        controllerType: textIn(one, 'Protocol'),
        driveType: textIn(one, 'MediaType'),
        firmwareVersion: textIn(one, 'FirmwareVersion') ?? textIn(one, 'Revision'),
        physicalBlockSizeBytes: countIn(one, 'BlockSizeBytes'),
        sizeBytes: countIn(one, 'CapacityBytes'),
        smartStatus: smartStatusOf(one),
        status: statusOf(one),
        wwn: wwnOf(one),
      }),
    );
}

function smartStatusOf(drive: RedfishObject): string | undefined {
  const predicted = booleanIn(drive, 'FailurePredicted');
  if (predicted === undefined) return undefined;
  return predicted ? 'failing' : 'ok';
}

const WORLD_WIDE: readonly string[] = ['NAA', 'EUI', 'NGUID', 'FC_WWN'];

function wwnOf(drive: RedfishObject): string | undefined {
  const names = objectsIn(drive, 'Identifiers');
  const found = names.find((one) => WORLD_WIDE.includes(textIn(one, 'DurableNameFormat') ?? ''));
  return textIn(found, 'DurableName');
}
