/** DHCP packets without their zeros: most have nothing in `sname` and `file`, and some hundred bytes of padding at their end. */

/** Offsets in a packet, RFC 2131 section 2. `xid` and `secs` are side by side. */
const XID_OFFSET = 4;
const FLAGS_OFFSET = 10;
const NAMES_OFFSET = 44;
const COOKIE_OFFSET = 236;
const NAMES_BYTES = COOKIE_OFFSET - NAMES_OFFSET;

export interface PackedForm {
  /** Of the whole packet. */
  readonly length: number;
  /** Without the zeros at its end, and never less than the header. */
  readonly used: number;
  /** True if `sname` or `file` have something. */
  readonly hasNames: boolean;
}

interface Place {
  readonly memory: Uint8Array;
  readonly at: number;
  readonly form: PackedForm;
}

/** The packet has at least its header. */
export function packedForm(bytes: Uint8Array): PackedForm {
  let used = bytes.length;
  while (used > COOKIE_OFFSET && bytes[used - 1] === 0) used -= 1;
  return { length: bytes.length, used, hasNames: !isZero(bytes, NAMES_OFFSET, COOKIE_OFFSET) };
}

export function packedBytes({ used, hasNames }: PackedForm): number {
  return hasNames ? used : used - NAMES_BYTES;
}

export function packInto(
  memory: Uint8Array,
  { bytes, at, form }: Omit<Place, 'memory'> & { readonly bytes: Uint8Array },
): void {
  const { used, hasNames } = form;
  memory.set(bytes.subarray(0, hasNames ? used : NAMES_OFFSET), at);
  if (!hasNames) memory.set(bytes.subarray(COOKIE_OFFSET, used), at + NAMES_OFFSET);
}

/** Writes the whole packet that is packed at `from` to `to`, in the same memory. */
export function unpackWithin(
  memory: Uint8Array,
  { from, to, form }: { readonly from: number; readonly to: number; readonly form: PackedForm },
): void {
  const { length, used, hasNames } = form;
  if (hasNames) {
    memory.copyWithin(to, from, from + used);
  } else {
    memory.copyWithin(to, from, from + NAMES_OFFSET);
    memory.fill(0, to + NAMES_OFFSET, to + COOKIE_OFFSET);
    memory.copyWithin(to + COOKIE_OFFSET, from + NAMES_OFFSET, from + used - NAMES_BYTES);
  }
  memory.fill(0, to + used, to + length);
}

/** Returns true if the packet is the packed one, whatever their `xid` and `secs`. */
export function isSamePacked(bytes: Uint8Array, { memory, at, form }: Place): boolean {
  const { length, used, hasNames } = form;
  if (bytes.length !== length) return false;
  const optionsAt = hasNames ? at : at - NAMES_BYTES;
  return (
    isEqual(bytes, { memory, at, from: 0, to: XID_OFFSET }) &&
    isEqual(bytes, { memory, at, from: FLAGS_OFFSET, to: NAMES_OFFSET }) &&
    (hasNames
      ? isEqual(bytes, { memory, at, from: NAMES_OFFSET, to: COOKIE_OFFSET })
      : isZero(bytes, NAMES_OFFSET, COOKIE_OFFSET)) &&
    isEqual(bytes, { memory, at: optionsAt, from: COOKIE_OFFSET, to: used }) &&
    isZero(bytes, used, length)
  );
}

interface Range {
  readonly memory: Uint8Array;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

function isEqual(bytes: Uint8Array, { memory, at, from, to }: Range): boolean {
  for (let index = from; index < to; index += 1) if (bytes[index] !== memory[at + index]) return false;
  return true;
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (bytes[index] !== 0) return false;
  return true;
}
