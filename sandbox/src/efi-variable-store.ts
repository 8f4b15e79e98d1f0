/**
 * Variables in a flash image of UEFI firmware, as edk2 stores them (MdeModulePkg/Include/Guid/VariableFormat.h). They are written
 * while the machine is off, as a BMC leaves them for its firmware.
 */
import { guidFromBytes, guidToBytes, type Guid } from '@tinkerbell/gpt';

export interface EfiVariable {
  readonly name: string;
  readonly vendor: Guid;
  readonly bytes: Uint8Array;
}

/** EFI_AUTHENTICATED_VARIABLE_GUID */
const AUTHENTICATED_STORE = 'aaf32c78-947b-439a-a180-2e144ec37792';
/** HeaderLength of EFI_FIRMWARE_VOLUME_HEADER. */
const VOLUME_HEADER_LENGTH_OFFSET = 48;
const STORE_HEADER_BYTES = 28;
const STORE_SIZE_OFFSET = 16;
const VARIABLE_HEADER_BYTES = 60;
const START_ID = 0x55aa;
const ADDED = 0x3f;
/** Non-volatile, for boot services and at run time. */
const ATTRIBUTES = 7;
const NAME_SIZE_OFFSET = 36;
const DATA_SIZE_OFFSET = 40;
const VENDOR_OFFSET = 44;
const ALIGNMENT = 4;

/**
 * Returns the image with these variables behind those that it has. It must have none of the same names.
 *
 * @throws Error for an image of another format, and when the variables do not fit.
 */
export function withVariables(image: Uint8Array, variables: readonly EfiVariable[]): Uint8Array {
  const copy = Uint8Array.from(image);
  const view = new DataView(copy.buffer);
  const store = view.getUint16(VOLUME_HEADER_LENGTH_OFFSET, true);
  if (guidFromBytes(copy, store) !== AUTHENTICATED_STORE)
    throw new Error('the flash image has no authenticated variable store');
  const end = store + view.getUint32(store + STORE_SIZE_OFFSET, true);
  let at = firstFree(view, store + STORE_HEADER_BYTES, end);
  for (const variable of variables) {
    const record = encodeVariable(variable);
    if (at + record.length > end) throw new Error(`no space for the variable ${variable.name}`);
    copy.set(record, at);
    at = aligned(at + record.length);
  }
  return copy;
}

function firstFree(view: DataView, start: number, end: number): number {
  let at = start;
  while (at + VARIABLE_HEADER_BYTES <= end && view.getUint16(at, true) === START_ID) {
    const nameBytes = view.getUint32(at + NAME_SIZE_OFFSET, true);
    const dataBytes = view.getUint32(at + DATA_SIZE_OFFSET, true);
    at = aligned(at + VARIABLE_HEADER_BYTES + nameBytes + dataBytes);
  }
  return at;
}

function encodeVariable({ name, vendor, bytes }: EfiVariable): Uint8Array {
  const text = Buffer.from(`${name}\0`, 'utf16le');
  const record = new Uint8Array(VARIABLE_HEADER_BYTES + text.length + bytes.length);
  const view = new DataView(record.buffer);
  view.setUint16(0, START_ID, true);
  view.setUint8(2, ADDED);
  view.setUint32(4, ATTRIBUTES, true);
  view.setUint32(NAME_SIZE_OFFSET, text.length, true);
  view.setUint32(DATA_SIZE_OFFSET, bytes.length, true);
  record.set(guidToBytes(vendor), VENDOR_OFFSET);
  record.set(text, VARIABLE_HEADER_BYTES);
  record.set(bytes, VARIABLE_HEADER_BYTES + text.length);
  return record;
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
