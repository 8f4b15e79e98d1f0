import {
  completion,
  decodeDeviceId,
  decodeInventory,
  decodeInventoryArea,
  decodeInventoryBytes,
  deviceIdRequest,
  INVENTORY_BYTES_MAX,
  inventoryAreaRequest,
  readInventoryRequest,
  type Inventory,
} from '@tinkerbell/ipmi';
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import { valueOf } from './invalid-answer.ts';
import type { IpmiConnection } from './ipmi-connection.ts';
import { completionError } from './ipmi-errors.ts';

/** The inventory device of the machine itself (section 34). */
const MACHINE_DEVICE = 0;
/** ipmitool reads as many at once. BMCs that return fewer refuse, and are asked for less. */
const PIECE_BYTES_MAX = 32;
const PIECE_BYTES_MIN = 8;
const TOO_MANY: readonly number[] = [
  completion.lengthInvalid,
  completion.lengthExceeded,
  completion.cannotReturnBytes,
  completion.outOfSpace,
];
/** 0xcc is the answer of OpenIPMI's simulator for a device that it does not have. */
const NO_DEVICE: readonly number[] = [
  completion.notPresent,
  completion.invalidCommand,
  completion.parameterOutOfRange,
  completion.invalidField,
];
const operation = 'read the inventory';
const meanings = { 0x81: 'busy' } as const;

/** Reads what IPMI knows of the machine: product, mainboard, chassis and the BMC itself. Unknown fields are absent. */
export async function readInventory(connection: IpmiConnection): Promise<OutOfBandAttributes> {
  const device = valueOf(
    decodeDeviceId(await connection.call({ operation, request: deviceIdRequest })),
    operation,
  );
  const { chassis, board, product } = await readMachineDevice(connection);
  return {
    collectionMethod: 'ipmitool',
    bmc: { firmwareVersion: device.firmwareVersion },
    ...(chassis === undefined
      ? {}
      : { chassis: present({ model: chassis.partNumber, serialNumber: chassis.serialNumber }) }),
    ...(board === undefined
      ? {}
      : {
          baseboard: present({
            vendor: board.manufacturer,
            model: board.name,
            serialNumber: board.serialNumber,
            description: board.partNumber,
          }),
        }),
    ...(product === undefined
      ? {}
      : {
          product: present({
            vendor: product.manufacturer,
            name: product.name,
            model: product.partNumber,
            serialNumber: product.serialNumber,
          }),
        }),
  };
}

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields that are not undefined. */
function present<Fields extends Record<string, string | undefined>>(fields: Fields): Present<Fields> {
  const kept: Present<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) Object.assign(kept, { [name]: fields[name] });
  return kept;
}

/** Returns nothing when the BMC has no such device, or its bytes have another format. */
async function readMachineDevice(connection: IpmiConnection): Promise<Inventory> {
  const request = inventoryAreaRequest(MACHINE_DEVICE);
  const answer = await connection.ask({ operation, request });
  if (NO_DEVICE.includes(answer.completionCode)) return {};
  if (answer.completionCode !== 0) throw completionError({ operation, request, meanings, ...answer });
  const area = valueOf(decodeInventoryArea(answer.bytes), operation);
  const inventory = decodeInventory(await readBytes(connection, area));
  return inventory.ok ? inventory.value : {};
}

async function readBytes(
  connection: IpmiConnection,
  area: { readonly bytes: number; readonly isInWords: boolean },
): Promise<Uint8Array> {
  const unit = area.isInWords ? 2 : 1;
  const total = Math.min(area.bytes, INVENTORY_BYTES_MAX);
  const bytes = new Uint8Array(total);
  let pieceBytes = PIECE_BYTES_MAX;
  for (let at = 0; at < total;) {
    const count = Math.ceil(Math.min(pieceBytes, total - at) / unit);
    const request = readInventoryRequest({ deviceId: MACHINE_DEVICE, offset: at / unit, count });
    const answer = await connection.ask({ operation, request });
    if (TOO_MANY.includes(answer.completionCode) && pieceBytes > PIECE_BYTES_MIN) {
      pieceBytes /= 2;
      continue;
    }
    if (answer.completionCode !== 0) throw completionError({ operation, request, meanings, ...answer });
    const piece = valueOf(decodeInventoryBytes(answer.bytes), operation);
    if (piece.length < unit) break;
    const usable = piece.subarray(0, Math.min(piece.length, total - at));
    bytes.set(usable, at);
    at += usable.length - (usable.length % unit);
  }
  return bytes;
}
