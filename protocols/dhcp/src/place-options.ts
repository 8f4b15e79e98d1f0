import type { OptionBytes } from './option-codec.ts';

/**
 * Decides where each option goes. Options that the client requested come first and in its order (RFC 2132 section 9.8), so that
 * they are kept when not everything fits. Then options go where there is space: the options field, file, sname (section 9.3).
 */
export interface OptionValue {
  readonly code: number;
  readonly bytes: OptionBytes;
}

/** The bytes that each field has for options, its END byte included. 0 when the field contains something else. */
export interface FieldSizes {
  readonly options: number;
  readonly bootFile: number;
  readonly serverName: number;
}

export interface Placement {
  readonly options: readonly OptionValue[];
  readonly bootFile: readonly OptionValue[];
  readonly serverName: readonly OptionValue[];
  /** Option 82, which must be the last one (RFC 3046 section 2.2). */
  readonly relay: OptionValue | undefined;
  readonly dropped: readonly number[];
}

/** RFC 3396 section 7: a longer value becomes several options of the same code, which stay together in one field. */
export const PIECE_BYTES_MAX = 255;
const OVERLOAD_OPTION_BYTES = 3;
const RELAY_AGENT_INFORMATION = 82;
/** The message type, the server and the lease time come first in every reply. */
const LEADING = [53, 54, 51];
/** Without these the lease or the boot fails, whether the client requests them or not. */
const NEEDED_FIRST = [1, 3, 121, 60, 43, 67, 66, 97, 61, 175, 6];
const CODES = 256;
/** More than the options of a packet. */
const INDEXES = 65_536;

/** The size of an option in a packet, including the headers of its pieces. */
export function writtenBytes({ bytes }: OptionValue): number {
  return bytes.length + 2 * Math.max(1, Math.ceil(bytes.length / PIECE_BYTES_MAX));
}

/** `requested` is the client's option 55. Repeated codes count once. */
export function placeOptions(
  values: readonly OptionValue[],
  sizes: FieldSizes,
  requested: readonly number[] = [],
): Placement {
  const room = sizes.options - 1;
  const relay = values.find((one) => one.code === RELAY_AGENT_INFORMATION && writtenBytes(one) <= room);
  const relayBytes = relay === undefined ? 0 : writtenBytes(relay);
  const others = relay === undefined ? values : values.filter((one) => one !== relay);
  const ordered = inOrder(others, requested);
  if (sumOf(ordered) <= room - relayBytes) {
    return { options: ordered, bootFile: [], serverName: [], relay, dropped: [] };
  }
  const byNeed = inOrder(others, [...requested, ...NEEDED_FIRST]);
  return {
    ...spread(byNeed, { ...sizes, options: sizes.options - relayBytes - OVERLOAD_OPTION_BYTES }),
    relay,
  };
}

/** Returns the leading options, those whose codes are in `next`, in that order, and the others in ascending order. */
function inOrder(options: readonly OptionValue[], next: readonly number[]): readonly OptionValue[] {
  // Numbers, because objects with a rank take longer than the sorting.
  const keys: number[] = [];
  for (let index = 0; index < options.length; index += 1)
    keys.push(rankOf(options[index]?.code ?? 0, next) * INDEXES + index);
  keys.sort((left, right) => left - right);
  const ordered: OptionValue[] = [];
  for (const key of keys) {
    const option = options[key % INDEXES];
    if (option !== undefined) ordered.push(option);
  }
  return ordered;
}

function rankOf(code: number, next: readonly number[]): number {
  const leading = LEADING.indexOf(code);
  if (leading >= 0) return leading;
  const place = next.indexOf(code);
  return place < 0 ? CODES * 3 + code : LEADING.length + place;
}

function sumOf(options: readonly OptionValue[]): number {
  let sum = 0;
  for (const option of options) sum += writtenBytes(option);
  return sum;
}

function spread(options: readonly OptionValue[], sizes: FieldSizes): Omit<Placement, 'relay'> {
  const field = (size: number) => ({ room: size - 1, options: [] as OptionValue[] });
  const [main, bootFile, serverName] = [field(sizes.options), field(sizes.bootFile), field(sizes.serverName)];
  const dropped: number[] = [];
  for (const option of options) {
    const size = writtenBytes(option);
    const found = [main, bootFile, serverName].find(({ room }) => size <= room);
    if (found === undefined) {
      dropped.push(option.code);
      continue;
    }
    found.room -= size;
    found.options.push(option);
  }
  return { options: main.options, bootFile: bootFile.options, serverName: serverName.options, dropped };
}
