import { ERASE, type Fault } from '../fault.ts';

/** Machines without a fault, in the site of the others. `healthy-boots.ts` has those of every firmware. */
export const healthyMachines: readonly Fault[] = [
  { name: 'a healthy machine', inTest: {}, firmware: 'bios', actions: ERASE },
  { name: 'a healthy machine with UEFI', firmware: 'uefi', actions: ERASE },
  { name: 'a healthy machine with UEFI HTTP boot', firmware: 'uefi-http', actions: ERASE },
  {
    name: 'a healthy machine that its BMC powers on',
    firmware: 'bios',
    bmc: { protocol: 'ipmi' },
    actions: ERASE,
  },
  {
    name: 'a healthy machine with TLS',
    firmware: 'bios',
    tls: 'trusted',
    actions: ERASE,
  },
];
