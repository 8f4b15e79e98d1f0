/** DHCP requests as a machine with the MAC of `machine1` sends them. */
import { emptyPacket, encodePacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { hexToBytes } from '@tinkerbell/wire';

export const UEFI: DhcpOptions = {
  messageType: 1,
  vendorClassIdentifier: 'PXEClient:Arch:00007:UNDI:003000',
  clientArchitectures: [7],
  clientNetworkInterface: { type: 1, major: 3, minor: 0 },
  clientMachineIdentifier: new Uint8Array(17),
};

export function packet(options: DhcpOptions, header: Partial<DhcpPacket> = {}): Uint8Array {
  const encoded = encodePacket({
    ...emptyPacket,
    transactionId: 9,
    broadcast: true,
    hardwareAddress: hexToBytes('02005e100001 00000000000000000000') ?? new Uint8Array(16),
    options,
    ...header,
  });
  if (!encoded.ok) throw new Error(encoded.error.message);
  return encoded.bytes;
}
