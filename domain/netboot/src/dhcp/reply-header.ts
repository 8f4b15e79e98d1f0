import type { DhcpOptions, DhcpPacket } from '@tinkerbell/dhcp';
import { encodeUtf8, IPV4_ANY } from '@tinkerbell/wire';

/** A reply with what RFC 2131 table 3 copies from the request, and nothing else yet. */
export function replyHeader(request: DhcpPacket): DhcpPacket {
  return {
    op: 'reply',
    hardwareType: request.hardwareType,
    hardwareLength: request.hardwareLength,
    hops: 0,
    transactionId: request.transactionId,
    secondsElapsed: 0,
    broadcast: request.broadcast,
    ciaddr: IPV4_ANY,
    yiaddr: IPV4_ANY,
    siaddr: IPV4_ANY,
    giaddr: request.giaddr,
    hardwareAddress: request.hardwareAddress,
    serverName: '',
    bootFile: '',
    options: {},
  };
}

/** RFC 6842: 61 only when it was sent. RFC 3046: 82 unchanged. RFC 3011: 118 unchanged. */
export function echoedOptions({ options }: DhcpPacket): DhcpOptions {
  return {
    ...(options.clientIdentifier === undefined ? {} : { clientIdentifier: options.clientIdentifier }),
    ...(options.relayAgentInformation === undefined
      ? {}
      : { relayAgentInformation: options.relayAgentInformation }),
    ...(options.subnetSelection === undefined ? {} : { subnetSelection: options.subnetSelection }),
  };
}

/** The header's `file` holds 127 bytes and a NUL; a longer name travels in option 67. */
const HEADER_FILE_BYTES_MAX = 127;

/** The boot file when the header can hold it, else empty. */
export function headerFile(file: string): string {
  return encodeUtf8(file).length <= HEADER_FILE_BYTES_MAX ? file : '';
}
