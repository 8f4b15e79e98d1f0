import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { messageType, type Dhcpv6Message } from './message.ts';
import { typedOptions } from './option-table.ts';
import { readRawOptions } from './raw-options.ts';

/** Three times the size that fits a UDP datagram without fragments on any link. */
export const MESSAGE_BYTES_MAX = 4_096;

/**
 * Decodes a message between client and server. Fails, with offset and field, on a truncated message and on one in a relay's
 * envelope.
 */
export function decodeMessage(bytes: Uint8Array): Decoded<Dhcpv6Message> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    if (bytes.length > MESSAGE_BYTES_MAX) reader.fail('too-long', 'message', `${bytes.length} bytes`);
    const type = reader.uint8('message type');
    if (type === messageType.relayForward || type === messageType.relayReply)
      reader.fail('in-an-envelope', 'message type', `${type} is a relay's`);
    const transactionId = (reader.uint8('transaction id') << 16) | reader.uint16('transaction id');
    return { type, transactionId, options: typedOptions(readRawOptions(reader)) };
  });
}
