/**
 * Makes a relay's changes in the bytes of a packet. A relay that decoded and encoded the whole packet would lose what it does not
 * understand. The packet must be one that `decodePacket` accepts.
 */
import { ipv4ToNumber, type Ipv4 } from '@tinkerbell/wire';
import { END, optionTable, PAD } from './option-table.ts';

const HOPS_OFFSET = 3;
const GIADDR_OFFSET = 24;
const OPTIONS_OFFSET = 240;
const RELAY_AGENT_INFORMATION = optionTable.relayAgentInformation.code;
const VALUE_BYTES_MAX = 255;
/**
 * An Ethernet frame's 1,500 bytes without the IP and UDP headers. RFC 3046 section 2.1 forbids a relay to extend a packet beyond
 * the MTU.
 */
const MESSAGE_BYTES_MAX = 1_472;

export interface RelayEdit {
  readonly hops?: number;
  readonly giaddr?: Ipv4;
  /** Option 82's value, as the last option. `none` removes it. When absent, it stays unchanged. */
  readonly information?: Uint8Array | 'none';
}

/**
 * The edited copy, at least as long as the packet was. `informationFits` is false when option 82 did not fit and is unchanged.
 */
export function editForRelay(
  bytes: Uint8Array,
  { hops, giaddr, information }: RelayEdit,
): { readonly bytes: Uint8Array; readonly informationFits: boolean } {
  const edited = information === undefined ? bytes.slice() : withInformation(bytes, information);
  const result = edited ?? bytes.slice();
  if (hops !== undefined) result[HOPS_OFFSET] = hops;
  if (giaddr !== undefined) new DataView(result.buffer).setUint32(GIADDR_OFFSET, ipv4ToNumber(giaddr));
  return { bytes: result, informationFits: edited !== undefined };
}

function withInformation(bytes: Uint8Array, information: Uint8Array | 'none'): Uint8Array | undefined {
  const value = information === 'none' ? new Uint8Array() : information;
  if (value.length > VALUE_BYTES_MAX) return undefined;
  const added = value.length === 0 ? [] : [RELAY_AGENT_INFORMATION, value.length, ...value];
  const options = [...otherOptions(bytes), ...added, END];
  const length = Math.max(bytes.length, OPTIONS_OFFSET + options.length);
  if (added.length > 0 && length > Math.max(bytes.length, MESSAGE_BYTES_MAX)) return undefined;
  const edited = new Uint8Array(length);
  edited.set(bytes.subarray(0, OPTIONS_OFFSET));
  edited.set(options, OPTIONS_OFFSET);
  return edited;
}

/** The options field up to its END, without option 82. */
function otherOptions(bytes: Uint8Array): number[] {
  const kept: number[] = [];
  let at = OPTIONS_OFFSET;
  while (at < bytes.length && bytes[at] !== END) {
    const end = bytes[at] === PAD ? at + 1 : at + 2 + (bytes[at + 1] ?? 0);
    if (bytes[at] !== RELAY_AGENT_INFORMATION) kept.push(...bytes.subarray(at, end));
    at = end;
  }
  return kept;
}
