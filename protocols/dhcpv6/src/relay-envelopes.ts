import { ByteReader, decoded, ipv6FromBytes, ipv6ToBytes, type Decoded } from '@tinkerbell/wire';
import { MESSAGE_BYTES_MAX } from './decode-message.ts';
import { messageType, type RelayEnvelope } from './message.ts';
import { joined } from './option-codec.ts';
import { rawOptions, typedOptions } from './option-table.ts';
import { readRawOptions, writeRawOptions } from './raw-options.ts';

/** RFC 8415 section 7.6, HOP_COUNT_LIMIT. */
const ENVELOPES_MAX = 8;

export interface RelayedMessage {
  /** Ordered from the relay next to the server to the one next to the client. Empty when the client itself sent the packet. */
  readonly envelopes: readonly RelayEnvelope[];
  /** The message inside all envelopes. */
  readonly bytes: Uint8Array;
}

/** Opens Relay-forward messages. Fails on a truncated one, on one without a message, and on more than eight levels of nesting. */
export function unwrapRelays(bytes: Uint8Array): Decoded<RelayedMessage> {
  return decoded(() => {
    const envelopes: RelayEnvelope[] = [];
    let inside = bytes;
    while (inside[0] === messageType.relayForward) {
      const reader = new ByteReader(inside);
      if (inside.length > MESSAGE_BYTES_MAX) reader.fail('too-long', 'message', `${inside.length} bytes`);
      if (envelopes.length === ENVELOPES_MAX)
        reader.fail('too-many-relays', 'message', `more than ${ENVELOPES_MAX}`);
      const { envelope, message } = readEnvelope(reader);
      envelopes.push(envelope);
      inside = message;
    }
    return { envelopes, bytes: inside };
  });
}

function readEnvelope(reader: ByteReader): { envelope: RelayEnvelope; message: Uint8Array } {
  reader.uint8('message type');
  const hops = reader.uint8('hop count');
  const linkAddress = ipv6FromBytes(reader.bytes(16, 'link address'));
  const peerAddress = ipv6FromBytes(reader.bytes(16, 'peer address'));
  const { relayMessage, ...options } = typedOptions(readRawOptions(reader));
  if (relayMessage === undefined) reader.fail('no-message', 'option 9', 'the relay message is empty');
  return { envelope: { hops, linkAddress, peerAddress, options }, message: relayMessage };
}

/**
 * Wraps an answer in Relay-reply messages, one for each envelope of the request (RFC 8415 section 19.3). They copy hop count,
 * addresses and the interface id, by which the relay finds the link.
 */
export function wrapForRelays(envelopes: readonly RelayEnvelope[], answer: Uint8Array): Uint8Array {
  return envelopes.toReversed().reduce((relayMessage, { hops, linkAddress, peerAddress, options }) => {
    const { interfaceIdentifier } = options;
    const echoed = interfaceIdentifier === undefined ? {} : { interfaceIdentifier };
    return joined([
      Uint8Array.of(messageType.relayReply, hops),
      ipv6ToBytes(linkAddress),
      ipv6ToBytes(peerAddress),
      writeRawOptions(rawOptions({ relayMessage, ...echoed })),
    ]);
  }, answer);
}
