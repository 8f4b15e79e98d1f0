/** Why a packet from the server does not help a machine that waits for it. */
import { CLIENT_PORT, decodePacket, messageType } from '@tinkerbell/dhcp';
import { decodeTftp } from '@tinkerbell/tftp';

/** Undefined: nothing is wrong with it. */
export function problemIn({
  bytes,
  toPort,
}: {
  readonly bytes: Uint8Array;
  readonly toPort: number;
}): string | undefined {
  return toPort === CLIENT_PORT ? dhcpProblem(bytes) : tftpProblem(bytes);
}

function dhcpProblem(bytes: Uint8Array): string | undefined {
  const decoded = decodePacket(bytes);
  if (!decoded.ok) return undefined;
  const { options, bootFile } = decoded.value;
  if (options.messageType === messageType.refuse) return 'the DHCP server refused the address';
  const isBound = options.messageType === messageType.acknowledge;
  if (isBound && (options.bootFileName ?? bootFile) === '') return 'the DHCP server named no boot file';
  return undefined;
}

function tftpProblem(bytes: Uint8Array): string | undefined {
  const decoded = decodeTftp(bytes);
  if (!decoded.ok || decoded.value.kind !== 'error') return undefined;
  return `the TFTP server answered: ${decoded.value.message}`;
}
