import type { DhcpOptions, DhcpPacket } from '@tinkerbell/dhcp';
import { encodeUtf8, IPV4_ANY } from '@tinkerbell/wire';

/** Returns a reply with the fields that RFC 2131 table 3 copies from the request, and nothing else. */
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

/** RFC 6842: 61 only when the client sent it. RFC 3046: 82 unchanged. RFC 3011: 118 unchanged. */
export function echoedOptions({ options }: DhcpPacket): DhcpOptions {
  return {
    ...(options.clientIdentifier === undefined ? {} : { clientIdentifier: options.clientIdentifier }),
    ...(options.relayAgentInformation === undefined
      ? {}
      : { relayAgentInformation: options.relayAgentInformation }),
    ...(options.subnetSelection === undefined ? {} : { subnetSelection: options.subnetSelection }),
  };
}

/** The header's `file` holds 127 bytes and a NUL. A longer name is sent in option 67. */
const HEADER_FILE_BYTES_MAX = 127;

/** Returns the boot file when the header can hold it, otherwise an empty text. */
export function headerFile(file: string): string {
  return encodeUtf8(file).length <= HEADER_FILE_BYTES_MAX ? file : '';
}
