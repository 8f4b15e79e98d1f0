/**
 * Tests every port of upstream's stack, from an isolated network that reaches the server only through the
 * gateway: a machine that boots by PXE, and the clients of Debian.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  createMachine,
  createObject,
  enterPrivateNetwork,
  serialConsoleArguments,
  startServer,
  type ApiObject,
  type NetworkHost,
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import { agentReached, template, workflowFor } from './firmware/reach-agent.ts';
import { prepareBoot, type BootPlace } from './gateway/boot-files.ts';
import { createEdgeSite, SERVER_FLAGS, SITE, startEdge } from './gateway/edge-site.ts';

const MAC = '52:54:00:77:02:01';
const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';

const hardware: ApiObject = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'machine', namespace: 'default' },
  spec: {
    metadata: { instance: { id: 'i-1', hostname: 'behind-the-gateway' } },
    interfaces: [
      {
        dhcp: {
          mac: MAC,
          arch: 'x86_64',
          lease_time: 3600,
          ip: { address: `${SITE.machineNetwork}.50`, netmask: '255.255.255.0' },
        },
        netboot: {
          allowPXE: true,
          allowWorkflow: true,
          osie: { kernelParams: serialConsoleArguments('bios') },
        },
      },
    ],
  },
};

describe('behind the gateway', { skip }, () => {
  const cleanup = new AsyncDisposableStack();
  let place: BootPlace;
  let server: RunningServer;
  /** Has the address of the Hardware. `stranger` has another. */
  let client: NetworkHost;
  let stranger: NetworkHost;
  let bootPort: string;

  before(async () => {
    place = await prepareBoot(cleanup);
    const network = await enterPrivateNetwork('10.252.0.1');
    const site = await createEdgeSite(network, cleanup);
    bootPort = await network.addPort(SITE.machineBridge);
    [client, stranger] = [await site.addClient(50), await site.addClient(60)];
    server = await startServer({
      ...place,
      dataDirectory: join(place.directory, 'data'),
      imagesDirectory: join(place.directory, 'images'),
      networkInterface: SITE.serverInterface,
      address: SITE.server,
      host: site.server,
      // Makes the option ROM, an iPXE without TLS, load undionly.kpxe by TFTP.
      flags: ['--api-anonymous=everyone', '--ipxe-needed-features=https', ...SERVER_FLAGS],
    });
    cleanup.defer(() => server.stop());
    await startEdge(site.edge, place.directory, cleanup);
    for (const object of [hardware, template, workflowFor(hardware)]) await createObject(server, object);
  });
  after(() => cleanup.disposeAsync());

  test('nothing else leads to the server', async () => {
    await assert.rejects(client.run('curl', '--silent', '--max-time', '5', `${server.url}/healthz`));
  });

  test('50061: metadata is that of the requesting address, whatever the client claims', async () => {
    const url = `http://${SITE.front}:50061/2009-04-04/meta-data/hostname`;
    const curl = ['--silent', '--write-out', ' %{http_code}', '--max-time', '20'];
    assert.equal(await client.run('curl', ...curl, url), 'behind-the-gateway 200');
    const forged = ['--header', `X-Forwarded-For: ${SITE.machineNetwork}.50`];
    assert.match(await stranger.run('curl', ...curl, ...forged, url), / 404$/);
  });

  test('8080 and 7171: files in ranges, and the script of the machine', async () => {
    const curl = (...words: string[]) =>
      client.run('curl', '--silent', '--fail', '--max-time', '20', ...words);
    const kernel = await readFile(join(place.hookDirectory, 'vmlinuz-x86_64'));
    const part = await curl('--range', '514-517', `http://${SITE.front}:8080/hook/vmlinuz-x86_64`);
    assert.equal(part, kernel.toString('latin1', 514, 518));
    assert.match(
      await curl(`http://${SITE.front}:7171/ipxe/script/auto.ipxe`),
      new RegExp(`worker_id=${MAC}`),
    );
  });

  test('69: TFTP with large blocks and windows, byte by byte', async () => {
    const wanted = await readFile(join(place.ipxeDirectory, 'undionly.kpxe'));
    for (const options of [
      ['--option', 'blksize 1468', '--option', 'windowsize 16'],
      ['--option', 'blksize 512'],
    ]) {
      const path = join(place.directory, 'loaded.kpxe');
      await client.run('atftp', '--get', ...options, '-r', 'undionly.kpxe', '-l', path, SITE.front, '69');
      assert.ok(wanted.equals(await readFile(path)), options.join(' '));
    }
    const path = join(place.directory, 'loaded-again.kpxe');
    await client.run(
      'curl',
      '--silent',
      '--max-time',
      '20',
      '--output',
      path,
      `tftp://${SITE.front}/undionly.kpxe`,
    );
    assert.ok(wanted.equals(await readFile(path)));
  });

  test('514: syslog arrives, as from the gateway, because UDP cannot carry the client’s address', async () => {
    await client.run('logger', '--server', SITE.front, '--port', '514', '--udp', 'said behind the gateway');
    const line = await logLine(server, /said behind the gateway/);
    assert.match(line, new RegExp(SITE.back.replaceAll('.', '\\.')));
  });

  test('67, 69, 7171, 8080, 42113: a machine boots by PXE up to its agent', async (context) => {
    const machine = await createMachine({
      name: 'machine',
      mac: MAC,
      firmware: 'bios',
      directory: place.directory,
      port: bootPort,
    });
    try {
      await client.run('ip', 'link', 'set', 'eth0', 'down');
      await machine.powerOn();
      const timeline = await agentReached({
        server,
        hardware,
        machine,
        onStandstill: (report) => context.diagnostic(`was reset: ${report}`),
      });
      assert.deepEqual(sourcesOf(timeline), ['agent', 'dhcp', 'http', 'tftp', 'workflow']);
    } finally {
      await machine.powerOff();
    }
  });
});

/** Without the server's own records: the doctor may note that a slow host takes long for a step. */
function sourcesOf(timeline: readonly TimelineRecord[]): readonly string[] {
  const sources = new Set<string>(timeline.map(({ source }) => source));
  sources.delete('server');
  return [...sources].toSorted();
}

/** The end of the log is kept for reports. New lines are there within a moment. */
async function logLine(server: RunningServer, wanted: RegExp): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = server.tail().find((line) => wanted.test(line));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server did not log ${wanted}:\n${server.tail().join('\n')}`);
}
