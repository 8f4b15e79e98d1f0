/** `tink os` against a real server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { forgetMachines, runServer, type RunningServer } from '../testing/running-server.ts';
import { exampleManifests } from './gen/example-manifests.ts';
import { systems } from './systems.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
after(() => server.remove());

const { done, failed, tink } = createCommandRunner(() => server);
const ADDRESS = '--address 10.1.2.3';
const KEY = 'ssh-rsa AAAAB3NzaC1yc2E operator@desk';

async function register(...names: readonly string[]): Promise<void> {
  await forgetMachines(server);
  const input = names.map((name, index) => hardware(name, `08:00:27:00:00:0${index + 1}`)).join('---\n');
  await done('apply -f -', { input });
}

const folderOf = (name: string): string => join(server.folder, name);
const fileOf = (folder: string, name: string): string => readFileSync(join(folder, `${name}.yaml`), 'utf8');

test('every example is a system, and the list shows what each needs', async () => {
  assert.deepEqual(
    systems.map(({ name }) => name),
    Object.keys(exampleManifests),
  );
  const text = await done('os list');
  assert.match(text, /^SYSTEM +FIRMWARE +MEMORY +USER-DATA +WHAT\n/);
  assert.match(text, /\nesxi +UEFI +8 GiB +kickstart +VMware ESXi/);
  const lines = (await done('os list --json')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { name: string }).name),
    systems.map(({ name }) => name),
  );
});

test('a router is written with all answers, and the server accepts it', async () => {
  await register('r1');
  const folder = folderOf('router');
  const key = writeText(server, 'id.pub', `${KEY}\n`);
  const disk = '/dev/disk/by-id/ata-LAB';
  const words = `os init vyos --hardware r1 --dir ${folder} ${ADDRESS} --public-key ${key} --disk ${disk}`;
  const { code, out, err } = await tink(`${words} --set version=1.5`);
  assert.equal(code, 0, err);
  assert.equal(
    out,
    ['hardware', 'template', 'workflow'].map((name) => `${folder}/${name}.yaml written\n`).join(''),
  );
  assert.equal(err, `next: tink os check -f ${folder}, then tink apply -f ${folder}\n`);
  const text = fileOf(folder, 'hardware');
  for (const part of [
    "set system host-name 'r1'",
    "set service dhcp-relay server '10.1.2.3'",
    "type 'ssh-rsa'",
    "key 'AAAAB3NzaC1yc2E'",
    `device: ${disk}`,
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.match(fileOf(folder, 'workflow'), /version: "1\.5"/);
  assert.match(fileOf(folder, 'workflow'), /image_url: http:\/\/10\.1\.2\.3:7080\/images\/vyos/);
  await done(`apply -f ${folder}`);
  assert.match(await done('get workflows'), /r1-vyos/);
});

test('of several machines of Harvester the first creates the cluster, and the others join', async () => {
  await register('h1', 'h2', 'h3');
  const folder = folderOf('cluster');
  const key = writeText(server, 'id.pub', KEY);
  const answers = `--vip 10.1.2.9 --cluster-token secret --password-hash $6$x --public-key ${key}`;
  await done(`os init harvester --hardware h1,h2,08:00:27:00:00:03 --dir ${folder} ${ADDRESS} ${answers}`);
  const text = fileOf(folder, 'hardware');
  assert.equal(text.match(/mode: create/g)?.length, 1);
  assert.equal(text.match(/mode: join/g)?.length, 2);
  assert.equal(text.match(/server_url: https:\/\/10\.1\.2\.9:443/g)?.length, 2);
  assert.equal(text.match(/token: secret/g)?.length, 3);
  assert.match(text, /hostname: h3[^]*hwAddr: 08:00:27:00:00:03/);
  assert.match(fileOf(folder, 'workflow'), /h1-harvester\n[^]*h2-harvester-join\n[^]*h3-harvester-join\n/);
  await done(`apply -f ${folder}`);
});

test('what no flag has answered is listed with its place', async () => {
  await register('m1');
  const folder = folderOf('left');
  const { code, err } = await tink(`os init fedora --hardware m1 --dir ${folder} ${ADDRESS}`);
  assert.equal(code, 0);
  assert.match(
    err,
    /left\/hardware\.yaml:\d+:\d+: spec\.userData: REPLACE-WITH-A-PASSWORD-HASH is a placeholder/,
  );
  assert.match(err, /next: edit these values\n/);
  assert.match(await failed(`apply -f ${folder}`), /REPLACE-WITH-A-PASSWORD-HASH is a placeholder/);
  assert.match(
    await failed(`os init fedora --hardware m1 --dir ${folder} ${ADDRESS}`),
    /would be replaced\n +choose another folder with --dir, or add --force/,
  );
  await done(`os init fedora --hardware m1 --dir ${folder} ${ADDRESS} --force --json`);
});

test('mistakes on the command line name the way out', async () => {
  await register('m1');
  const usage = async (words: string): Promise<string> => {
    const { code, err } = await tink(words);
    assert.equal(code, 2, err);
    return err;
  };
  assert.match(
    await usage('os init talo --hardware m1'),
    /there is no system "talo"\n +did you mean talos\?/,
  );
  assert.match(await usage('os init talo'), /there is no system "talo"/);
  assert.match(await usage('os init vyos'), /--hardware is missing\n +name registered machines/);
  assert.match(
    await usage(`os init talos --hardware m1 ${ADDRESS}`),
    /talos needs --user-data FILE: the Talos machine configuration\n +generate it with talosctl gen config/,
  );
  assert.match(await usage('os init vyos --hardware m1'), /machines cannot reach the server at 127\.0\.0\.1/);
  assert.match(await usage('os init vyos --hardware m1 --disk sda'), /--disk sda must begin with \/dev\//);
  assert.match(await usage('os check'), /os check needs files/);
  assert.match(await failed(`os init vyos --hardware m9 ${ADDRESS}`), /m9/);
});

test('check finds image, checksum, disk, memory, firmware and user-data', async () => {
  await register('m1');
  const folder = folderOf('checked');
  const { host } = new URL(server.url);
  await done(`os init coreos --hardware m1 --dir ${folder} --address ${host}`);
  const { code, out, err } = await tink(`os check -f ${folder}`);
  assert.equal(code, 1);
  assert.match(err, /tink: \d+ missing; no machine was touched/);
  for (const line of [
    /-live-kernel\.x86_64: the server answered 404; copy the file there/,
    /-live-rootfs\.x86_64\.img: the server answered 404/,
    /m1 +checksum +warning +action "start the installer" does not check KERNEL_URL: set KERNEL_CHECKSUM/,
    /m1 +disk +warning +\/dev\/sda may be another disk after a restart: use its name in \/dev\/disk\/by-id/,
    /m1 +memory +warning +the server does not know the memory of the machine; coreos needs 4096 MiB/,
    /m1 +firmware +ok +any/,
    /m1 +user-data +ok +Ignition/,
    /placeholder +missing +.*REPLACE-WITH-YOUR-PUBLIC-KEY/,
  ])
    assert.match(out, line);
});

async function reportMemory(name: string, total: string): Promise<void> {
  const attributes = JSON.stringify({ memory: { total } });
  const body = { metadata: { annotations: { 'tinkerbell.org/agent-attributes': attributes } } };
  await done(`patch hardware ${name} -p ${JSON.stringify(body)}`);
}

test('check compares memory and firmware with what the system needs', async () => {
  await register('m1');
  const folder = folderOf('small');
  await done(`os init edge-ubuntu --hardware m1 --dir ${folder} ${ADDRESS}`);
  await reportMemory('m1', '1GB');
  const lines = (await tink(`os check -f ${folder} --json`)).out.trim().split('\n');
  const findings = lines.map((line) => JSON.parse(line) as { item: string; message: string });
  const of = (item: string) => findings.find((one) => one.item === item);
  assert.deepEqual(of('memory'), {
    machine: 'm1',
    item: 'memory',
    level: 'missing',
    message: '1024 MiB; edge-ubuntu needs 2048 MiB',
  });
  assert.equal(of('firmware')?.message, 'edge-ubuntu needs UEFI: set uefi: true in spec.interfaces[].dhcp');
});

test('a system with an iPXE script of its own has no Workflow, and is checked, too', async () => {
  await register('m1');
  const folder = folderOf('script');
  const words = `os init esxi --hardware m1 --dir ${folder} ${ADDRESS} --password-hash hash`;
  assert.equal(await done(words), `${folder}/hardware.yaml written\n`);
  assert.match(fileOf(folder, 'hardware'), /chain http:\/\/10\.1\.2\.3:7080\/images\/esxi/);
  const { code, out } = await tink(`os check -f ${folder}`);
  assert.equal(code, 1);
  assert.match(out, /m1 +firmware +missing +esxi needs UEFI/);
});

test('nothing is missing when all is there', async () => {
  await register('r1');
  const images = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(images, 'listening');
  try {
    const { port } = images.address() as AddressInfo;
    const folder = folderOf('ready');
    const key = writeText(server, 'id.pub', KEY);
    const image = `--set image_url=http://127.0.0.1:${port}/vyos.raw.gz --set image_checksum=sha256:${'0'.repeat(64)}`;
    const rest = `--disk /dev/disk/by-id/ata-LAB --public-key ${key} --dir ${folder} ${ADDRESS}`;
    await done(`os init vyos --hardware r1 ${image} ${rest}`);
    await reportMemory('r1', '8GB');
    const text = await done(`os check -f ${folder}`);
    assert.deepEqual(
      [...text.matchAll(/^r1 +(\S+) +(\S+)/gm)].map(([, item, level]) => `${item} ${level}`),
      ['disk ok', 'memory ok', 'firmware ok', 'user-data ok', 'image ok'],
    );
  } finally {
    images.close();
  }
});
