import { encodeUtf8, IPV4_ANY, ipv4ToBytes, isHostAddress, type Ipv4 } from '@tinkerbell/wire';
import { editForRelay } from './relay-edit.ts';
import {
  drop,
  type RelayDrop,
  type RelayInformationSettings,
  type RelayInterface,
  type RelayMessage,
  type RelaySettings,
} from './relay-rules.ts';
import { writeSubOptions } from './sub-options.ts';

/** RFC 1542 section 4.1.1. */
export const HOPS_MAX = 16;

export interface RelayRequestInput {
  /** With op `request`. */
  readonly message: RelayMessage;
  /**
   * The network interface on which it arrived. Absent when that is not a client network: only other relays may send requests
   * there.
   */
  readonly arrival?: RelayInterface;
  /** All addresses of the relay. */
  readonly interfaces: readonly RelayInterface[];
  readonly settings: RelaySettings;
}

export type RelayRequestDecision =
  | RelayDrop
  | {
      readonly kind: 'forward';
      /** For every server. */
      readonly bytes: Uint8Array;
      /** True when option 82 should be present but did not fit (RFC 3046 section 2.1). */
      readonly isInformationMissing: boolean;
    };

/** Returns the packet for the servers, from a client's packet or from one that another relay forwarded. */
export function relayRequest(input: RelayRequestInput): RelayRequestDecision {
  const { hops, giaddr } = input.message.packet;
  if (hops >= Math.min(input.settings.hopsMax, HOPS_MAX))
    return drop('too-many-hops', `it passed ${hops} relays`);
  return giaddr === IPV4_ANY ? fromClient(input) : fromRelay(input);
}

function fromClient({ message, arrival, settings }: RelayRequestInput): RelayRequestDecision {
  if (arrival === undefined) return drop('not-from-a-client-network', 'no network interface of clients');
  const { information } = settings;
  const hasInformation = message.packet.options.relayAgentInformation !== undefined;
  if (information !== undefined && hasInformation && !information.trustsClients)
    return drop('information-from-client', 'option 82 without giaddr: the client may have made it up');
  return forward(message, {
    giaddr: settings.relayAddress ?? arrival.address,
    // RFC 3046 section 2.1: a second option must not be added.
    ...(information === undefined || hasInformation
      ? {}
      : { information: informationFor(arrival, information) }),
  });
}

/** RFC 2131 section 4.1 and RFC 3046 section 2.1.1: giaddr stays. The answer goes directly to that relay. */
function fromRelay({ message, arrival, interfaces, settings }: RelayRequestInput): RelayRequestDecision {
  const { giaddr, options } = message.packet;
  if (!isHostAddress(giaddr)) return drop('giaddr-invalid', `giaddr is ${giaddr}`);
  if (giaddr === settings.relayAddress || interfaces.some(({ address }) => address === giaddr))
    return drop('giaddr-is-ours', `giaddr is our own ${giaddr}: a loop, or a forgery`);
  const theirs = options.relayAgentInformation?.bytes;
  const { information } = settings;
  if (theirs === undefined || information === undefined) return forward(message, {});
  if (information.ofOtherRelays === 'discard')
    return drop('information-from-relay', `option 82 of the relay ${giaddr}`);
  if (information.ofOtherRelays === 'forward' || arrival === undefined) return forward(message, {});
  const own = informationFor(arrival, information);
  return forward(message, {
    information: information.ofOtherRelays === 'append' ? Uint8Array.of(...theirs, ...own) : own,
  });
}

function forward(
  { bytes, packet }: RelayMessage,
  change: { readonly giaddr?: Ipv4; readonly information?: Uint8Array },
): RelayRequestDecision {
  const edited = editForRelay(bytes, { hops: packet.hops + 1, ...change });
  return { kind: 'forward', bytes: edited.bytes, isInformationMissing: !edited.informationFits };
}

function informationFor(arrival: RelayInterface, settings: RelayInformationSettings): Uint8Array {
  const { remoteId, linkSelection, serverIdentifierOverride } = settings;
  const address = ipv4ToBytes(arrival.address);
  return writeSubOptions([
    { code: 1, bytes: encodeUtf8(arrival.name) },
    ...(remoteId === undefined ? [] : [{ code: 2, bytes: remoteId }]),
    ...(linkSelection ? [{ code: 5, bytes: address }] : []),
    ...(serverIdentifierOverride ? [{ code: 11, bytes: address }] : []),
  ]);
}
