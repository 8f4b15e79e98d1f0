/** Faults between power-on and the machine's address. */
import { duplicateAddress, otherDhcpServer } from '../disturbances.ts';
import { ERASE, type Fault } from '../fault.ts';

export const addressFaults: readonly Fault[] = [
  {
    name: 'the MAC has a typing error',
    isInTest: true,
    cause: 'mac-typo',
    firmware: 'bios',
    hasWrongMac: true,
    actions: ERASE,
  },
  {
    name: 'two Hardware have the MAC',
    isInTest: true,
    cause: 'duplicate-mac',
    firmware: 'bios',
    hasTwin: true,
    actions: ERASE,
  },
  {
    name: 'another DHCP server wins',
    isInTest: true,
    cause: 'another-dhcp-server',
    firmware: 'bios',
    disturb: otherDhcpServer({ bootFile: 'pxelinux.0' }),
    actions: ERASE,
  },
  {
    name: 'another DHCP server wins, and offers no boot file',
    cause: 'another-dhcp-server',
    firmware: 'bios',
    disturb: otherDhcpServer({}),
    actions: ERASE,
  },
  {
    name: 'another host has the address',
    cause: 'duplicate-address',
    firmware: 'bios',
    disturb: duplicateAddress,
    actions: ERASE,
  },
  {
    name: 'the machine is in another VLAN, whose relay knows the server',
    cause: 'network-wrong',
    firmware: 'bios',
    relay: 'right',
    hasServerNetwork: true,
    actions: ERASE,
  },
];
