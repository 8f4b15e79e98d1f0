/** Faults before the first packet, of machines that a BMC powers on. */
import { otherVlan, slowPort } from '../disturbances.ts';
import { ERASE, type Fault } from '../fault.ts';

export const powerFaults: readonly Fault[] = [
  {
    name: 'no relay forwards the requests',
    cause: 'relay-absent',
    firmware: 'bios',
    relay: 'none',
    bmc: { protocol: 'ipmi' },
    actions: ERASE,
  },
  {
    name: 'the relay forwards to the wrong server',
    cause: 'relay-absent',
    firmware: 'bios',
    relay: 'lost',
    bmc: { protocol: 'ipmi' },
    actions: ERASE,
  },
  {
    name: 'the switch port is in the wrong VLAN',
    cause: 'no-netboot-after-power-on',
    firmware: 'bios',
    bmc: { protocol: 'ipmi' },
    disturb: otherVlan,
    actions: ERASE,
  },
  {
    name: 'spanning tree blocks the switch port for 30 s',
    cause: 'no-netboot-after-power-on',
    firmware: 'bios',
    bmc: { protocol: 'ipmi' },
    disturb: slowPort,
    actions: ERASE,
  },
  {
    name: 'the boot order has the empty disk first',
    cause: 'no-netboot-after-power-on',
    firmware: 'bios',
    bmc: { protocol: 'redfish', ignores: 'override' },
    actions: ERASE,
  },
  {
    name: 'the boot order has the installed disk first',
    cause: 'boot-override-ignored',
    firmware: 'bios',
    bmc: { protocol: 'redfish', ignores: 'override', hasInstalledDisk: true, usualStartSeconds: 120 },
    actions: ERASE,
  },
  {
    name: 'the BMC ignores the boot device',
    inTest: {},
    cause: 'boot-override-ignored',
    firmware: 'bios',
    bmc: { protocol: 'ipmi', ignores: 'boot-device' },
    actions: ERASE,
  },
  {
    name: 'the password of the BMC is wrong',
    inTest: {},
    cause: 'bmc-failed',
    firmware: 'bios',
    bmc: { protocol: 'ipmi', hasWrongPassword: true },
    actions: ERASE,
  },
];
