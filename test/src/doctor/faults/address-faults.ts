/** Faults between power-on and the machine's address. */
import { duplicateAddress, otherDhcpServer } from '../disturbances.ts';
import { ERASE, type Fault } from '../fault.ts';

export const addressFaults: readonly Fault[] = [
  {
    name: 'the MAC has a typing error',
    inTest: {},
    cause: 'mac-typo',
    firmware: 'bios',
    hasWrongMac: true,
    actions: ERASE,
  },
  {
    name: 'two Hardware have the MAC',
    inTest: {},
    cause: 'duplicate-mac',
    firmware: 'bios',
    hasTwin: true,
    actions: ERASE,
  },
  {
    name: 'another DHCP server wins',
    inTest: {},
    cause: 'another-dhcp-server',
    firmware: 'bios',
    disturb: otherDhcpServer({ bootFile: 'pxelinux.0' }),
    actions: ERASE,
  },
  {
    name: 'another DHCP server wins, and offers no boot file',
    inTest: {},
    cause: 'another-dhcp-server',
    firmware: 'bios',
    disturb: otherDhcpServer({}),
    actions: ERASE,
  },
  {
    name: 'another host has the address',
    inTest: {},
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
