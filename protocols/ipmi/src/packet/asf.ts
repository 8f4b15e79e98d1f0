import { ByteReader, ByteWriter, decoded, type Decoded } from '@tinkerbell/wire';

/** The enterprise number of ASF, which marks its messages. */
const ASF_ENTERPRISE = 4542;
const PING = 0x80;
const PONG = 0x40;
const PONG_BYTES = 16;
const SUPPORTS_IPMI = 0x80;
const ASF_VERSION_1 = 0x01;

/** The presence messages of ASF (section 13.2.3): a BMC answers them without a session. */
export type AsfMessage =
  | { readonly kind: 'ping'; readonly tag: number }
  | { readonly kind: 'pong'; readonly tag: number; readonly supportsIpmi: boolean };

/** Reads the body of an RMCP packet of class `asf`. */
export function decodeAsf(body: Uint8Array): Decoded<AsfMessage> {
  return decoded(() => {
    const reader = new ByteReader(body);
    const enterprise = reader.uint32('enterprise number');
    if (enterprise !== ASF_ENTERPRISE)
      reader.fail('unknown-enterprise', 'enterprise number', `${enterprise}`);
    const type = reader.uint8('message type');
    const tag = reader.uint8('message tag');
    reader.skip(2, 'length');
    if (type === PING) return { kind: 'ping', tag };
    if (type !== PONG) return reader.fail('unknown-type', 'message type', `${type}`);
    reader.skip(8, 'enterprise and OEM');
    return { kind: 'pong', tag, supportsIpmi: (reader.uint8('supported entities') & SUPPORTS_IPMI) !== 0 };
  });
}

export function encodeAsf(message: AsfMessage): Uint8Array {
  const writer = new ByteWriter(8 + PONG_BYTES);
  writer.uint32(ASF_ENTERPRISE);
  writer.uint8(message.kind === 'ping' ? PING : PONG);
  writer.uint8(message.tag);
  writer.uint8(0); // reserved
  if (message.kind === 'ping') {
    writer.uint8(0); // no further bytes
    return writer.finish();
  }
  writer.uint8(PONG_BYTES);
  writer.uint32(ASF_ENTERPRISE);
  writer.uint32(0); // no OEM
  writer.uint8((message.supportsIpmi ? SUPPORTS_IPMI : 0) | ASF_VERSION_1);
  writer.zeros(7); // supported interactions, reserved
  return writer.finish();
}
