import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOUD_INIT_SERVER } from '@tinkerbell/sandbox';
import { bootWithCloudInit, type Seed } from './cloud-init.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network and disk images';

const seeds = [
  {
    name: 'from-ec2',
    mac: '52:54:00:c1:00:01',
    address: '192.168.56.101',
    sshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUeBbmUG1lzZbLEnPYcSWlGFzxJYzHTJ0yeI6oJCbC1 one@desk',
    keeperKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMFFVxuE1Ojfp9SXKz4dQVVsQ6Ek3o9Y7jyuh4RnHCbU two@desk',
  },
  {
    name: 'from-nocloud',
    mac: '52:54:00:c1:00:02',
    address: '192.168.56.102',
    sshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUeBbmUG1lzZbLEnPYcSWlGFzxJYzHTJ0yeI6oJCbC3 three@desk',
    keeperKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMFFVxuE1Ojfp9SXKz4dQVVsQ6Ek3o9Y7jyuh4RnHCbX four@desk',
    serialNumber: `ds=nocloud-net;s=${CLOUD_INIT_SERVER.url}/nocloud/`,
  },
] as const satisfies readonly Seed[];

/**
 * The number of requests, with retries: cloud-init reads a dozen leaves of EC2's tree, and three documents of
 * NoCloud.
 */
const REQUESTS_MAX = 60;

test(
  "Debian's cloud-init sets up two machines from one image, by EC2's tree and by NoCloud",
  { skip },
  async (t) => {
    const { reports, counters } = await bootWithCloudInit(seeds);
    for (const [index, { seen, timeline }] of reports.entries()) {
      const { name, address, sshKey, keeperKey } = seeds[index] ?? assert.fail();
      const told = (word: string) => seen.get(word) ?? `nothing, but ${JSON.stringify([...seen])}`;
      assert.equal(told('hostname'), name);
      assert.equal(told('instance'), `id-of-${name}`);
      assert.equal(told('keeper'), 'keeper keeper adm');
      assert.equal(told('keeper-keys'), keeperKey);
      assert.ok(told('default-keys').endsWith(sshKey), told('default-keys'));
      assert.match(told('addresses'), new RegExp(String.raw`\b${address}/24\b`));
      assert.match(told('route'), new RegExp(`^default via ${CLOUD_INIT_SERVER.address} `));
      // Neither source has a network configuration for cloud-init 22.4, so it writes one that uses DHCP.
      assert.match(told('network-files'), /DHCP=ipv4/);
      assert.equal(told('errors'), '[[], [], []]');
      const ready = timeline.filter(({ event }) => event === 'machine-ready');
      assert.equal(ready.length, 1);
    }
    const [ec2, nocloud] = reports.map(({ seen }) => seen.get('source') ?? '');
    assert.equal(ec2, 'DataSourceEc2: DataSourceEc2');
    assert.match(nocloud ?? '', /^DataSourceNoCloudNet: .*seed=dmi,http/);

    const metadata = [...counters].filter(([name]) => name.startsWith('metadata_requests_total'));
    const requests = metadata.reduce((sum, [, count]) => sum + count, 0);
    t.diagnostic(`${requests} requests for metadata: ${JSON.stringify(Object.fromEntries(metadata))}`);
    assert.ok(requests <= REQUESTS_MAX, `${requests} requests`);
    assert.deepEqual(
      [...counters.keys()].filter((name) => /status_code="5/.test(name)),
      [],
    );
  },
);
