import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware, HardwareSpec } from '@tinkerbell/resources';
import fc from 'fast-check';
import { ec2NodeAt } from './index.ts';

function machine(spec: HardwareSpec): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine1', namespace: 'default' },
    spec,
  };
}

const full = machine({
  userData: '#cloud-config\n# ünïcode\n',
  vendorData: 'vendor',
  metadata: {
    facility: { facility_code: 'ams1', plan_slug: 'c3.small' },
    instance: {
      id: 'i-1',
      hostname: 'web1',
      tags: ['a', 'b'],
      ssh_keys: ['ssh-ed25519 AAAA one', '  ', 'ssh-rsa BBBB two\n'],
      operating_system: { slug: 'debian_12', distro: 'debian', version: '12', image_tag: 'tag1' },
      ips: [
        { address: '2001:db8::2', family: 6 },
        { address: '10.0.0.2', family: 4, public: false },
        { address: '203.0.113.2', family: 4, public: true },
        { address: '203.0.113.3', family: 4, public: true },
        { address: '10.0.0.3', family: 4 },
      ],
    },
  },
});

function read(path: string, hardware: Hardware): string | undefined {
  const node = ec2NodeAt(path);
  return node?.kind === 'value' ? node.textFor(hardware) : undefined;
}

test('every leaf is read from its field, and is empty where the Hardware has none', () => {
  const cases: [path: string, expected: string][] = [
    ['user-data', '#cloud-config\n# ünïcode\n'],
    ['vendor-data', 'vendor'],
    ['meta-data/instance-id', 'i-1'],
    ['meta-data/hostname', 'web1'],
    ['meta-data/local-hostname', 'web1'],
    ['meta-data/plan', 'c3.small'],
    ['meta-data/facility', 'ams1'],
    ['meta-data/placement/availability-zone', 'ams1'],
    ['meta-data/tags', 'a\nb'],
    ['meta-data/public-ipv4', '203.0.113.2'],
    ['meta-data/local-ipv4', '10.0.0.2'],
    ['meta-data/public-ipv6', '2001:db8::2'],
    ['meta-data/operating-system/slug', 'debian_12'],
    ['meta-data/operating-system/distro', 'debian'],
    ['meta-data/operating-system/version', '12'],
    ['meta-data/operating-system/image_tag', 'tag1'],
    ['meta-data/operating-system/license_activation/state', ''],
    ['meta-data/iqn', ''],
    ['meta-data/public-keys', '0=key-0\n1=key-1'],
    ['meta-data/public-keys/', '0=key-0\n1=key-1'],
  ];
  for (const [path, expected] of cases) {
    assert.equal(read(path, full), expected, path);
    assert.equal(read(path, machine({})), '', `${path} of a Hardware without metadata`);
  }
});

test('a key is below its number', () => {
  const cases: [path: string, expected: string | undefined][] = [
    ['meta-data/public-keys/0', 'openssh-key'],
    ['meta-data/public-keys/0/', 'openssh-key'],
    ['meta-data/public-keys/0/openssh-key', 'ssh-ed25519 AAAA one'],
    ['meta-data/public-keys/1/openssh-key', 'ssh-rsa BBBB two'],
    ['meta-data/public-keys/2/openssh-key', undefined],
    ['meta-data/public-keys/2', undefined],
  ];
  for (const [path, expected] of cases) assert.equal(read(path, full), expected, path);
});

test('directories are listed the same for all machines, sorted, with and without a trailing slash', () => {
  const cases: [path: string, expected: string][] = [
    ['', 'meta-data/\nuser-data\nvendor-data'],
    [
      'meta-data',
      'facility\nhostname\ninstance-id\niqn\nlocal-hostname\nlocal-ipv4\noperating-system/\nplacement/\nplan\npublic-ipv4\npublic-ipv6\npublic-keys/\ntags',
    ],
    ['meta-data/operating-system', 'distro\nimage_tag\nlicense_activation/\nslug\nversion'],
    ['meta-data/operating-system/license_activation', 'state'],
    ['meta-data/placement', 'availability-zone'],
  ];
  for (const [path, text] of cases) {
    assert.deepEqual(ec2NodeAt(path), { kind: 'listing', text }, path);
    if (path !== '') assert.deepEqual(ec2NodeAt(`${path}/`), { kind: 'listing', text }, `${path}/`);
  }
});

test('other paths do not exist', () => {
  const paths = [
    'nothing',
    '/',
    '//',
    'meta-data//',
    'meta-data/nothing',
    'meta-data/instance-id/more',
    'meta-data//instance-id',
    'meta-data/__proto__',
    'constructor',
    'meta-data/toString',
    'meta-data/public-keys/x',
    'meta-data/public-keys/01',
    'meta-data/public-keys/0/other',
    'meta-data/public-keys/0/openssh-key/more',
    'meta-data/public-keys/99999999999999999999',
    'META-DATA',
  ];
  for (const path of paths) assert.equal(ec2NodeAt(path), undefined, path);
});

test('no path throws', () => {
  const element = fc.oneof(fc.string(), fc.constantFrom('meta-data', 'public-keys', '0', 'openssh-key', ''));
  fc.assert(
    fc.property(fc.array(element), (path) => {
      const node = ec2NodeAt(path.join('/'));
      if (node?.kind === 'value') assert.doesNotThrow(() => node.textFor(full));
    }),
  );
});
