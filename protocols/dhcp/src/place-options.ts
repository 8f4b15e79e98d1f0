/**
 * Which option goes where. Usually everything fits the options field, in ascending order. When it does not, options are
 * placed by how badly the client needs them: first the options field, then file, then sname (RFC 2132 section 9.3).
 */
export interface OptionValue {
  readonly code: number;
  readonly bytes: Uint8Array;
}

/** Bytes each field has for options, its END byte included; 0 when the field holds something else. */
export interface FieldSizes {
  readonly options: number;
  readonly bootFile: number;
  readonly serverName: number;
}

export interface Placement {
  readonly options: Uint8Array;
  readonly bootFile: Uint8Array;
  readonly serverName: Uint8Array;
  /** Option 82, which must be the last of all (RFC 3046 section 2.2). */
  readonly relay: Uint8Array;
  readonly dropped: readonly number[];
}

const PIECE_BYTES_MAX = 255;
const OVERLOAD_OPTION_BYTES = 3;
const RELAY_AGENT_INFORMATION = 82;
/** Without these the lease or the boot fails; everything else follows in ascending order. */
const NEEDED_FIRST = [53, 54, 51, 1, 3, 121, 60, 43, 67, 66, 97, 61, 175, 6];

export function placeOptions(values: readonly OptionValue[], sizes: FieldSizes): Placement {
  const encoded = values
    .map((value) => ({ code: value.code, bytes: splitIntoPieces(value) }))
    .sort((left, right) => left.code - right.code);
  const room = sizes.options - 1;
  const relayOption = encoded.find(
    ({ code, bytes }) => code === RELAY_AGENT_INFORMATION && bytes.length <= room,
  );
  const relay = relayOption?.bytes ?? new Uint8Array();
  const others = encoded.filter((option) => option !== relayOption);
  const total = others.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total <= room - relay.length) {
    return { options: concatenated(others), bootFile: NOTHING, serverName: NOTHING, relay, dropped: [] };
  }
  return {
    ...spread(others, { ...sizes, options: sizes.options - relay.length - OVERLOAD_OPTION_BYTES }),
    relay,
  };
}

const NOTHING = new Uint8Array();

function spread(options: readonly OptionValue[], sizes: FieldSizes): Omit<Placement, 'relay'> {
  const fields = [sizes.options, sizes.bootFile, sizes.serverName].map((size) => ({
    room: size - 1,
    options: [] as OptionValue[],
  }));
  const dropped: number[] = [];
  for (const option of [...options].sort((left, right) => rank(left.code) - rank(right.code))) {
    const field = fields.find(({ room }) => option.bytes.length <= room);
    if (field === undefined) {
      dropped.push(option.code);
      continue;
    }
    field.room -= option.bytes.length;
    field.options.push(option);
  }
  const [main, bootFile, serverName] = fields.map((field) => concatenated(field.options));
  return {
    options: main ?? NOTHING,
    bootFile: bootFile ?? NOTHING,
    serverName: serverName ?? NOTHING,
    dropped,
  };
}

function rank(code: number): number {
  const needed = NEEDED_FIRST.indexOf(code);
  return needed < 0 ? NEEDED_FIRST.length + code : needed;
}

/** RFC 3396 section 7: a value above 255 bytes becomes several options of the same code, kept together in one field. */
function splitIntoPieces({ code, bytes }: OptionValue): Uint8Array {
  const pieces = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES_MAX));
  const split = new Uint8Array(bytes.length + pieces * 2);
  for (let piece = 0; piece < pieces; piece++) {
    const value = bytes.subarray(piece * PIECE_BYTES_MAX, (piece + 1) * PIECE_BYTES_MAX);
    const at = piece * (PIECE_BYTES_MAX + 2);
    split[at] = code;
    split[at + 1] = value.length;
    split.set(value, at + 2);
  }
  return split;
}

function concatenated(options: readonly OptionValue[]): Uint8Array {
  const bytes = new Uint8Array(options.reduce((sum, option) => sum + option.bytes.length, 0));
  let at = 0;
  for (const option of options) {
    bytes.set(option.bytes, at);
    at += option.bytes.length;
  }
  return bytes;
}
