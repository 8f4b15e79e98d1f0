import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes } from '../bytes.ts';

/** The UDP port of every BMC (section 13.1.2). */
export const RMCP_PORT = 623;

/**
 * The largest datagram that is read. The largest that IPMI defines is a message of 255 bytes or a console payload of the size that the
 * BMC announced, each with less than 64 bytes around it. An Ethernet frame carries no more than this.
 */
export const DATAGRAM_BYTES_MAX = 1500;

const RMCP_VERSION = 6;
const NO_ACKNOWLEDGEMENT = 0xff;
const CLASSES = { 6: 'asf', 7: 'ipmi' } as const;

export type RmcpClass = (typeof CLASSES)[keyof typeof CLASSES];

export interface RmcpPacket {
  readonly messageClass: RmcpClass;
  /** What follows the four bytes of the header. */
  readonly body: Uint8Array;
}

/** Reads the RMCP header (section 13.1.3). Acknowledgements, which only other uses of RMCP have, are an error. */
export function decodeRmcp(bytes: Uint8Array): Decoded<RmcpPacket> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    if (bytes.length > DATAGRAM_BYTES_MAX) reader.fail('too-long', 'datagram', `${bytes.length} bytes`);
    const version = reader.uint8('RMCP version');
    if (version !== RMCP_VERSION) reader.fail('wrong-version', 'RMCP version', `${version}, expected 6`);
    reader.skip(2, 'RMCP sequence number');
    const code = reader.uint8('RMCP class');
    const messageClass = (CLASSES as Partial<Record<number, RmcpClass>>)[code];
    if (messageClass === undefined) return reader.fail('unknown-class', 'RMCP class', `${code}`);
    return { messageClass, body: reader.bytes(reader.remaining, 'RMCP body') };
  });
}

export function encodeRmcp({ messageClass, body }: RmcpPacket): Uint8Array {
  const code = messageClass === 'asf' ? 6 : 7;
  return joinBytes(Uint8Array.of(RMCP_VERSION, 0, NO_ACKNOWLEDGEMENT, code), body);
}
