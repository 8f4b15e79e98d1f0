/**
 * Decides where each option goes. Options that the client requested come first and in its order (RFC 2132 section 9.8), so that
 * they are kept when not everything fits. Then options go where there is space: the options field, file, sname (section 9.3).
 */
export interface OptionValue {
  readonly code: number;
  readonly bytes: Uint8Array;
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
  const ordered = inOrder(others, [...LEADING, ...requested]);
  if (sumOf(ordered) <= room - relayBytes) {
    return { options: ordered, bootFile: [], serverName: [], relay, dropped: [] };
  }
  const byNeed = inOrder(others, [...LEADING, ...requested, ...NEEDED_FIRST]);
  return {
    ...spread(byNeed, { ...sizes, options: sizes.options - relayBytes - OVERLOAD_OPTION_BYTES }),
    relay,
  };
}

/** Returns the options whose codes are in `first`, in that order, followed by the others in ascending order. */
function inOrder(options: readonly OptionValue[], first: readonly number[]): readonly OptionValue[] {
  const ranked = options.map((option) => {
    const place = first.indexOf(option.code);
    return { rank: place < 0 ? CODES * 2 + option.code : place, option };
  });
  ranked.sort((left, right) => left.rank - right.rank);
  return ranked.map(({ option }) => option);
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
