/**
 * What a machine sent and got, in words without what differs from run to run: tokens, ids, hosts, ports and transaction numbers.
 * Undefined: not worth a word, such as one of many blocks.
 */
import { CLIENT_PORT, decodePacket, messageType, SERVER_PORT, type DhcpPacket } from '@tinkerbell/dhcp';
import { decodeTftp } from '@tinkerbell/tftp';
import type { MachineInput, MachineOutput } from '../machine/model.ts';

const DHCP_NAMES = new Map<number | undefined, string>(
  Object.entries(messageType).map(([name, type]) => [type, name]),
);
/** Of a TFTP block before the last one. */
const BLOCK_BYTES = 1468;

export function sentText(output: MachineOutput): string | undefined {
  switch (output.kind) {
    case 'send':
      return output.toPort === SERVER_PORT ? dhcpText(output.bytes) : tftpText(output.bytes);
    case 'timer':
      return undefined;
    case 'get-script':
      return 'asks for its script';
    case 'get-action':
      return 'asks for an action';
    case 'report':
      return `reports ${output.action.name} ${output.state}`;
  }
}

export function gotText(input: MachineInput): string | undefined {
  switch (input.kind) {
    case 'datagram':
      return input.toPort === CLIENT_PORT ? dhcpText(input.bytes) : tftpText(input.bytes);
    case 'timer':
    case 'power-on':
    case 'power-off':
      return undefined;
    case 'script':
      return scriptText(input.text);
    case 'action':
      return `action ${input.action.name}`;
    case 'acknowledged':
      return 'acknowledgement';
    case 'call-failed':
      return input.isRefusal ? 'refusal' : undefined;
  }
}

function dhcpText(bytes: Uint8Array): string | undefined {
  const decoded = decodePacket(bytes);
  if (!decoded.ok) return 'DHCP packet that is invalid';
  const { options, op } = decoded.value;
  const name = `DHCP ${DHCP_NAMES.get(options.messageType) ?? 'packet'}`;
  return op === 'request' ? name : `${name} of ${addressText(decoded.value)}`;
}

function addressText({ yiaddr, bootFile, options }: DhcpPacket): string {
  const file = options.bootFileName ?? bootFile;
  return `${yiaddr}, ${file === '' ? 'no boot file' : file.replace(/^https?:\/\/[^/]+/, '')}`;
}

function tftpText(bytes: Uint8Array): string | undefined {
  const decoded = decodeTftp(bytes);
  if (!decoded.ok) return 'TFTP packet that is invalid';
  const packet = decoded.value;
  if (packet.kind === 'read-request') return `TFTP read of ${packet.fileName}`;
  if (packet.kind === 'error') return `TFTP error: ${packet.message}`;
  if (packet.kind !== 'data' || packet.bytes.length === BLOCK_BYTES) return undefined;
  return `TFTP last block ${packet.block} of ${packet.bytes.length} bytes`;
}

function scriptText(text: string | undefined): string {
  if (text === undefined) return 'no script';
  return /^kernel /m.test(text) ? 'script that boots the in-memory OS' : 'script that boots from the disk';
}
