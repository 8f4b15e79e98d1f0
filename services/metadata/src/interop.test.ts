/** Tests with real clients: curl, and cloud-init's own data sources where python3 finds them. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createNodeHttp } from '@tinkerbell/platform-node';
import type { HardwareSpec } from '@tinkerbell/resources';
import { MACS, machine, silentLog, startRack } from './testing/rack.ts';

const run = promisify(execFile);
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const skipCurl = has('curl', '--version') ? false : 'needs curl';
const python = ['/usr/bin/python3', 'python3'].find((program) => has(program, '-c', 'import cloudinit'));
const skipCloudInit = python === undefined ? 'needs the cloud-init package' : false;

async function serve(spec: HardwareSpec = {}) {
  const rack = startRack({ hardware: [machine(0, spec, '127.0.0.1')] });
  const server = await createNodeHttp(silentLog).listen(
    { port: 0, address: '127.0.0.1' },
    async (request, context) => {
      for (const route of rack.service.routes) {
        const response = await route.handle(request, context);
        if (response !== undefined) return response;
      }
      return new Response('no route', { status: 404 });
    },
  );
  return { server, journal: rack.journal, base: `http://127.0.0.1:${server.local.port}` };
}

test('curl reads, fetches a token, and phones home', { skip: skipCurl }, async () => {
  const { server, base, journal } = await serve();
  await using _ = server;
  const curl = async (...args: string[]) => (await run('curl', ['-sS', '--fail', ...args])).stdout;
  assert.equal(await curl(`${base}/2009-04-04/meta-data/instance-id`), 'i-0');
  assert.equal(await curl(`${base}/latest/`), 'meta-data/\nuser-data\nvendor-data');
  const token = await curl(
    '-X',
    'PUT',
    '-H',
    'X-aws-ec2-metadata-token-ttl-seconds: 60',
    `${base}/latest/api/token`,
  );
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(await curl('-H', `X-aws-ec2-metadata-token: ${token}`, `${base}/latest/meta-data/plan`), 'c3');
  assert.equal(await curl('-d', 'instance_id=i-0', `${base}/phone-home`), '');
  assert.equal(journal.at(-1)?.event, 'machine-ready');
  await assert.rejects(curl(`${base}/nocloud/${MACS[1]}/user-data`), /404/);
});

interface Crawl {
  readonly ec2: Record<string, unknown>;
  readonly nocloud: Record<string, unknown>;
  readonly network: {
    readonly config: unknown;
    readonly rendered: Record<'netplan' | 'networkd' | 'sysconfig', Record<string, string>>;
  };
}

async function crawl(spec: HardwareSpec = {}): Promise<Crawl> {
  const { server, base } = await serve(spec);
  await using _ = server;
  const script = join(import.meta.dirname, '../testdata/crawl.py');
  const { stdout } = await run(python ?? '', [script, base]);
  return JSON.parse(stdout) as Crawl;
}

test("cloud-init's Ec2 and NoCloud find id, names, keys and user data", { skip: skipCloudInit }, async () => {
  const { ec2, nocloud, network } = await crawl();
  assert.equal(ec2['version'], '2021-03-23');
  assert.equal(ec2['instance_id'], 'i-0');
  assert.equal(ec2['user_data'], '#cloud-config\nhostname: machine0\n');
  assert.deepEqual(ec2['keys'], ['ssh-ed25519 AAAA op@desk']);
  assert.equal(ec2['zone'], 'ams1');
  assert.deepEqual(nocloud, {
    metadata: {
      'instance-id': 'i-0',
      'local-hostname': 'machine0',
      'public-keys': ['ssh-ed25519 AAAA op@desk'],
    },
    user_data: '#cloud-config\nhostname: machine0\n',
    vendor_data: '#cloud-config\n{}\n',
  });
  const { networkd, sysconfig, netplan } = network.rendered;
  const unit = Object.values(networkd).join('\n');
  for (const line of [
    `MACAddress=${MACS[0]}`,
    'Address=127.0.0.1/24',
    'DNS=192.168.77.1',
    'Gateway=192.168.77.1',
  ])
    assert.ok(unit.split('\n').includes(line), `${line} in ${unit}`);
  assert.match(sysconfig['etc/sysconfig/network-scripts/ifcfg-eno1'] ?? '', /GATEWAY=192\.168\.77\.1/);
  assert.match(Object.values(netplan).join('\n'), /macaddress: '?52:54:00:12:34:56/);
});

test("cloud-init's renderers accept a bond with a VLAN", { skip: skipCloudInit }, async () => {
  const first = machine(0, {}, '127.0.0.1').spec?.interfaces?.[0]?.dhcp ?? {};
  const { rendered } = (
    await crawl({
      interfaces: [{ dhcp: { ...first, vlan_id: '100' } }, { dhcp: { mac: MACS[1], iface_name: 'eno2' } }],
      // cloud-init's Ec2 treats an empty instance-id as a service that is not up yet.
      metadata: { bonding_mode: 4, instance: { id: 'i-0' } },
    })
  ).network;
  const bond = rendered.sysconfig['etc/sysconfig/network-scripts/ifcfg-bond0'] ?? '';
  assert.match(bond, /BONDING_OPTS="mode=802\.3ad miimon=100"/);
  const vlan = rendered.sysconfig['etc/sysconfig/network-scripts/ifcfg-bond0.100'] ?? '';
  assert.match(vlan, /IPADDR=127\.0\.0\.1[^]*VLAN=yes/);
  assert.match(Object.values(rendered.netplan).join('\n'), /bond0\.100:/);
});
