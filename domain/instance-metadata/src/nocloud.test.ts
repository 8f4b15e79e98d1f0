import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DhcpSettings, Hardware, HardwareMetadata, HardwareSpec } from '@tinkerbell/resources';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { diskLayoutOf, NOCLOUD_DOCUMENTS, nocloudDocument } from './index.ts';

const MACS = ['52:54:00:12:34:56', '52:54:00:12:34:57'] as const;

function machine(spec: HardwareSpec): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine1', namespace: 'default' },
    spec,
  };
}

function read(name: 'meta-data' | 'network-config', hardware: Hardware): unknown {
  const text = nocloudDocument(name, hardware);
  if (text === undefined) return undefined;
  const parsed = parseYaml(text);
  const document = parsed.ok ? parsed.documents[0] : undefined;
  assert.ok(document !== undefined, text);
  return toJson(document);
}

function networkOf(interfaces: readonly DhcpSettings[], metadata: HardwareMetadata = {}): unknown {
  return read('network-config', machine({ interfaces: interfaces.map((dhcp) => ({ dhcp })), metadata }));
}

const first: DhcpSettings = {
  mac: MACS[0],
  ip: { address: '192.168.1.10', netmask: '255.255.255.0', gateway: '192.168.1.1', family: 4 },
  name_servers: ['192.168.1.1', 'no address'],
  domain_name: 'example.test',
};
const second: DhcpSettings = {
  mac: MACS[1],
  ip: { address: '10.0.0.10', netmask: '255.255.0.0', gateway: '10.0.0.1' },
};
const bare = {
  nic0: { match: { macaddress: MACS[0] }, 'set-name': 'nic0' },
  nic1: { match: { macaddress: MACS[1] }, 'set-name': 'nic1' },
};
const firstAddress = {
  addresses: ['192.168.1.10/24'],
  routes: [{ to: '0.0.0.0/0', via: '192.168.1.1' }],
  nameservers: { addresses: ['192.168.1.1'], search: ['example.test'] },
};

test('meta-data has id, hostname and keys, and falls back to the name of the Hardware', () => {
  const instance = { id: 'i-1', hostname: 'web1', ssh_keys: ['ssh-ed25519 AAAA', ''] };
  assert.deepEqual(read('meta-data', machine({ metadata: { instance } })), {
    'instance-id': 'i-1',
    'local-hostname': 'web1',
    'public-keys': ['ssh-ed25519 AAAA'],
  });
  assert.deepEqual(read('meta-data', machine({ interfaces: [{ dhcp: { hostname: 'host1' } }] })), {
    'instance-id': 'machine1',
    'local-hostname': 'host1',
    'public-keys': [],
  });
  assert.deepEqual(read('meta-data', machine({})), {
    'instance-id': 'machine1',
    'local-hostname': 'machine1',
    'public-keys': [],
  });
});

test('user-data and vendor-data are unchanged, and exist when empty', () => {
  const text = '#!/bin/sh\r\n\u0000 ${x} {{ y }}\n\n';
  assert.equal(nocloudDocument('user-data', machine({ userData: text })), text);
  assert.equal(nocloudDocument('vendor-data', machine({ vendorData: text })), text);
  assert.equal(nocloudDocument('user-data', machine({})), '');
  assert.equal(nocloudDocument('vendor-data', machine({})), '');
});

test('a network interface is found by MAC and has its address, gateway and name servers', () => {
  assert.deepEqual(networkOf([{ ...first, iface_name: 'eno1' }]), {
    version: 2,
    ethernets: { eno1: { match: { macaddress: MACS[0] }, 'set-name': 'eno1', ...firstAddress } },
  });
  assert.deepEqual(networkOf([first]), {
    version: 2,
    ethernets: { nic0: { match: { macaddress: MACS[0] }, ...firstAddress } },
  });
});

test('a MAC is quoted, because YAML 1.1 reads it as a number of base 60', () => {
  const text = nocloudDocument('network-config', machine({ interfaces: [{ dhcp: first }] })) ?? '';
  assert.match(text, /macaddress: ["']52:54:00:12:34:56["']/);
});

test('without a usable address it uses DHCP, and without a MAC it is omitted', () => {
  const dhcp = { version: 2, ethernets: { nic0: { match: { macaddress: MACS[0] }, dhcp4: true } } };
  assert.deepEqual(networkOf([{ mac: MACS[0] }]), dhcp);
  assert.deepEqual(networkOf([{ mac: MACS[0].toUpperCase(), ip: { address: '192.168.1.10' } }]), dhcp);
  assert.deepEqual(networkOf([{ mac: MACS[0], ip: { address: 'x', netmask: '255.0.255.0' } }]), dhcp);
  assert.deepEqual(networkOf([{ hostname: 'none' }, { mac: MACS[0] }, { mac: MACS[0] }]), dhcp);
  assert.equal(networkOf([{ hostname: 'none' }]), undefined);
  assert.equal(nocloudDocument('network-config', machine({})), undefined);
});

test('static routes are added to the gateway, or replace it when they have a default route', () => {
  const routes = (...pairs: [string, string][]) =>
    pairs.map(([destination_descriptor, router]) => ({ destination_descriptor, router }));
  const withRoutes = (...pairs: [string, string][]) => {
    const config = networkOf([{ ...first, classless_static_routes: routes(...pairs) }]) as {
      ethernets: { nic0: { routes: unknown } };
    };
    return config.ethernets.nic0.routes;
  };
  assert.deepEqual(withRoutes(['10.9.9.9/16', '192.168.1.2']), [
    { to: '0.0.0.0/0', via: '192.168.1.1' },
    { to: '10.9.0.0/16', via: '192.168.1.2' },
  ]);
  assert.deepEqual(withRoutes(['0.0.0.0/0', '172.16.0.1']), [
    { to: '0.0.0.0/0', via: '172.16.0.1', 'on-link': true },
  ]);
  assert.deepEqual(withRoutes(['bad', '192.168.1.2'], ['10.0.0.0/8', 'bad']), [
    { to: '0.0.0.0/0', via: '192.168.1.1' },
  ]);
});

test('of two gateways the first is preferred', () => {
  assert.deepEqual(networkOf([first, second]), {
    version: 2,
    ethernets: {
      nic0: { match: { macaddress: MACS[0] }, ...firstAddress },
      nic1: {
        match: { macaddress: MACS[1] },
        addresses: ['10.0.0.10/16'],
        routes: [{ to: '0.0.0.0/0', via: '10.0.0.1', metric: 200 }],
      },
    },
  });
});

test('IPv6 has its own default route, and a netmask in either form', () => {
  for (const netmask of ['64', 'ffff:ffff:ffff:ffff::']) {
    const ip = { address: '2001:DB8::10', netmask, gateway: 'fe80::1', family: 6 };
    assert.deepEqual(networkOf([{ mac: MACS[0], ip }]), {
      version: 2,
      ethernets: {
        nic0: {
          match: { macaddress: MACS[0] },
          addresses: ['2001:db8::10/64'],
          routes: [{ to: '::/0', via: 'fe80::1' }],
        },
      },
    });
  }
});

test('invalid or duplicate interface names are replaced', () => {
  const namesOf = (...names: string[]) => {
    const interfaces = names.map((iface_name, index) => ({ mac: `52:54:00:12:34:0${index}`, iface_name }));
    return Object.keys((networkOf(interfaces) as { ethernets: object }).ethernets);
  };
  assert.deepEqual(namesOf('eno1', 'eno1', '', 'bond0', 'a/b', 'a'.repeat(16)), [
    'eno1',
    'nic1',
    'nic2',
    'nic3',
    'nic4',
    'nic5',
  ]);
  assert.deepEqual(namesOf('nic1', ''), ['nic1', 'nic2']);
});

test('with vlan_id the address is on the first VLAN', () => {
  assert.deepEqual(networkOf([{ ...first, iface_name: 'eno1', vlan_id: '100,200' }]), {
    version: 2,
    ethernets: { eno1: { match: { macaddress: MACS[0] }, 'set-name': 'eno1' } },
    vlans: {
      'eno1.100': { id: 100, link: 'eno1', ...firstAddress },
      'eno1.200': { id: 200, link: 'eno1' },
    },
  });
  const unnamed = networkOf([{ ...first, vlan_id: '100' }]) as { ethernets: unknown };
  assert.deepEqual(unnamed.ethernets, { nic0: bare.nic0 });
  const long = networkOf([{ ...first, iface_name: 'enp129s0f0np0', vlan_id: '4000' }]) as { vlans: object };
  assert.deepEqual(Object.keys(long.vlans), ['129s0f0np0.4000']);
  for (const vlan_id of ['0', '4095', '', 'x'])
    assert.equal(Object.hasOwn(networkOf([{ ...first, vlan_id }]) as object, 'vlans'), false, vlan_id);
});

test('with bonding_mode two network interfaces become one, with the MAC of the first that has an address', () => {
  assert.deepEqual(networkOf([{ mac: MACS[0] }, second], { bonding_mode: 4 }), {
    version: 2,
    ethernets: bare,
    bonds: {
      bond0: {
        interfaces: ['nic0', 'nic1'],
        macaddress: MACS[1],
        parameters: { mode: '802.3ad', 'mii-monitor-interval': 100 },
        addresses: ['10.0.0.10/16'],
        routes: [{ to: '0.0.0.0/0', via: '10.0.0.1' }],
      },
    },
  });
});

test('a bond has all addresses, one default route, and its VLANs', () => {
  assert.deepEqual(networkOf([{ ...first, vlan_id: '100' }, second], { bonding_mode: 1 }), {
    version: 2,
    ethernets: bare,
    bonds: {
      bond0: {
        interfaces: ['nic0', 'nic1'],
        macaddress: MACS[0],
        parameters: { mode: 'active-backup', 'mii-monitor-interval': 100 },
      },
    },
    vlans: {
      'bond0.100': {
        id: 100,
        link: 'bond0',
        ...firstAddress,
        addresses: ['192.168.1.10/24', '10.0.0.10/16'],
      },
    },
  });
});

test('a bond without addresses uses DHCP, and one network interface or an unknown mode creates no bond', () => {
  const config = networkOf([{ mac: MACS[0] }, { mac: MACS[1] }], { bonding_mode: 0 }) as {
    bonds: { bond0: { dhcp4: boolean; parameters: { mode: string } } };
  };
  assert.equal(config.bonds.bond0.dhcp4, true);
  assert.equal(config.bonds.bond0.parameters.mode, 'balance-rr');
  assert.equal(Object.hasOwn(networkOf([first], { bonding_mode: 4 }) as object, 'bonds'), false);
  assert.equal(Object.hasOwn(networkOf([first, second], { bonding_mode: 7 }) as object, 'bonds'), false);
  assert.equal(Object.hasOwn(networkOf([first, second]) as object, 'bonds'), false);
});

test('the documents are the four of cloud-init', () => {
  assert.deepEqual(NOCLOUD_DOCUMENTS, ['meta-data', 'user-data', 'vendor-data', 'network-config']);
});

test('the disk layout has every field, and null for absent lists', () => {
  const layoutOf = (storage: NonNullable<NonNullable<HardwareMetadata['instance']>['storage']>) =>
    diskLayoutOf(machine({ metadata: { instance: { storage } } }));
  const nothing = '{"metadata":{"instance":{"storage":{"disks":null,"filesystems":null}}}}';
  assert.equal(diskLayoutOf(machine({})), nothing);
  assert.equal(layoutOf({}), nothing);
  assert.equal(
    layoutOf({
      disks: [
        {
          wipe_table: true,
          device: '/dev/sda',
          partitions: [{ size: 4096, number: 1, label: 'BOOT', start: 1 }, {}],
        },
        {},
      ],
      filesystems: [
        {
          mount: {
            point: '/',
            format: 'ext4',
            device: '/dev/sda1',
            create: { force: true, options: ['-L', 'ROOT'] },
          },
        },
        {},
      ],
    }),
    '{"metadata":{"instance":{"storage":{"disks":[' +
      '{"device":"/dev/sda","partitions":[{"label":"BOOT","number":1,"size":4096},{"label":"","number":0,"size":0}],"wipe_table":true},' +
      '{"device":"","partitions":null,"wipe_table":false}],"filesystems":[' +
      '{"mount":{"create":{"options":["-L","ROOT"]},"device":"/dev/sda1","format":"ext4","point":"/"}},' +
      '{"mount":{"create":{"options":null},"device":"","format":"","point":""}}]}}}}',
  );
});
