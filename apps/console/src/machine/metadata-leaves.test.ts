import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { ec2Leaves, nocloudLeaves } from './metadata-leaves.ts';

const hardware: Hardware = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm1', namespace: 'default' },
  spec: {
    userData: '#cloud-config\n',
    metadata: {
      instance: {
        id: 'i-1',
        hostname: 'web',
        operating_system: { distro: 'debian' },
        ssh_keys: ['ssh-ed25519 AAAA ann'],
      },
    },
  },
};

test('leaves have the paths at which the machine reads them', () => {
  const leaves = new Map(ec2Leaves(hardware));
  assert.equal(leaves.get('meta-data/hostname'), 'web');
  assert.equal(leaves.get('meta-data/operating-system/distro'), 'debian');
  assert.equal(leaves.get('user-data'), '#cloud-config\n');
  assert.equal(leaves.has('meta-data/iqn'), false, 'without a value');
  assert.match([...leaves].find(([path]) => path.startsWith('meta-data/public-keys/'))?.[1] ?? '', /AAAA/);
});

test('the documents of cloud-init are complete', () => {
  const documents = new Map(nocloudLeaves(hardware));
  assert.match(documents.get('meta-data') ?? '', /local-hostname: web/);
  assert.equal(documents.get('user-data'), '#cloud-config\n');
});
