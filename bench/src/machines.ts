/** The Hardware of a large site. MACs and addresses count up together. */

export interface MachineAddresses {
  readonly mac: string;
  readonly address: string;
}

/** perfdhcp's own first MAC, from which it counts up. */
const FIRST_MAC = 0x000c_0102_0304;
/** 10.199.1.0: the first addresses of the network belong to the server and the relay. */
const FIRST_ADDRESS = 0x0ac7_0100;

export const NETWORK = {
  netmask: '255.255.0.0',
  gateway: '10.199.0.2',
  subnet: '10.199.0.0/16',
  broadcast: '10.199.255.255',
} as const;

export function addressesOf(index: number): MachineAddresses {
  const hex = (FIRST_MAC + index).toString(16).padStart(12, '0');
  const address = FIRST_ADDRESS + index;
  return {
    mac: hex.replaceAll(/(..)(?!$)/g, '$1:'),
    address: [24, 16, 8, 0].map((shift) => (address >> shift) & 0xff).join('.'),
  };
}

export function hardwareOf(index: number) {
  const { mac, address } = addressesOf(index);
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: `machine-${index}`, namespace: 'default' },
    spec: {
      agentID: mac,
      disks: [{ device: '/dev/nvme0n1' }],
      metadata: {
        facility: { facility_code: 'site-1' },
        instance: {
          id: mac,
          hostname: `machine-${index}`,
          operating_system: { distro: 'debian', version: '12' },
        },
      },
      interfaces: [
        {
          dhcp: {
            mac,
            hostname: `machine-${index}`,
            arch: 'x86_64',
            lease_time: 86_400,
            name_servers: ['10.199.0.1'],
            ip: { address, netmask: NETWORK.netmask, gateway: NETWORK.gateway },
          },
          netboot: { allowPXE: true, allowWorkflow: true },
        },
      ],
    },
  };
}
