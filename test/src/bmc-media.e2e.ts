/**
 * A machine that is off, with a Redfish BMC and no way to boot from its network, is installed from an ISO image in its virtual drive
 * by one `kubectl apply`. Then `tink reprovision` installs it again, this time from the network.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildIso, withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createMachine,
  enterPrivateNetwork,
  loadDemoManifests,
  startRouterAdvertiser,
  startServer,
} from '@tinkerbell/sandbox';
import { bootedFromImage, openBmcOf } from '@tinkerbell/sandbox/bmc';
import { cacheDirectory, limitOf, serverAddress, serverOptions, timelineOf, tink } from './bare-machine.ts';
import { installedKubectl } from './installed-kubectl.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';
const LOGIN = /login: /g;

test('a BMC installs a machine from virtual media, and again from the network', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const options = await serverOptions('bios', cleanup);
  const { image, kubectl } = await withCacheLock(cacheDirectory, async () => {
    await buildIso({ architecture: 'x86_64', directory: options.hookDirectory, cacheDirectory });
    return { image: await buildDebianImage({ cacheDirectory }), kubectl: await installedKubectl() };
  });
  linkSync(image.path, join(options.imagesDirectory, 'debian-12.img.zst'));
  const network = await enterPrivateNetwork(serverAddress);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  const { template, machines } = await loadDemoManifests(1, 'bios');
  const [demo] = machines;
  assert.ok(demo !== undefined);
  const directory = options.dataDirectory;
  const port = await network.addPort();
  const machine = await createMachine({ ...demo, firmware: 'bios', directory, port, bootOrder: 'disk' });
  cleanup.defer(() => machine.powerOff());
  const bmc = cleanup.use(await openBmcOf(machine, 'redfish'));
  const server = await startServer({
    ...options,
    networkInterface: network.bridge,
    flags: ['--metadata-auth=off'],
  });
  cleanup.defer(() => server.stop());
  const ending = limitOf(machine.failed, () =>
    [...machine.serial.tail(30), ...server.tail(), ...bmc.operations].join('\n'),
  );

  const isoUrl = `${server.url}/iso/${demo.mac.replaceAll(':', '-')}/hook.iso`;
  const objects = [
    ...bmc.objects,
    template,
    bmc.ofHardware(demo.hardware),
    bootedFromImage(demo.workflow, isoUrl),
  ];
  const manifest = join(directory, 'site.json');
  writeFileSync(manifest, objects.map((one) => JSON.stringify(one)).join('\n'));
  execFileSync(kubectl, ['--kubeconfig', join(directory, 'kubeconfig'), 'apply', '-f', manifest], {
    stdio: 'pipe',
  });

  let console = '';
  machine.serial.onBytes((chunk) => (console = (console + new TextDecoder().decode(chunk)).slice(-500_000)));
  const over = new AbortController();
  cleanup.defer(() => over.abort());
  const installed = async (times: number): Promise<void> => {
    while (!over.signal.aborted && (console.match(LOGIN)?.length ?? 0) < times) {
      const jobs = await tink(server, 'get', 'jobs.bmc.tinkerbell.org', '-o', 'yaml');
      assert.doesNotMatch(jobs, /type: Failed/, `${jobs}\n${bmc.operations.join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  };
  const stateOf = async (name: string): Promise<string> =>
    (await tink(server, 'get', 'workflow', name, '-o', 'jsonpath={.status.state}')).trim();

  await Promise.race([installed(1), ending]);
  assert.equal(await stateOf(demo.workflow.metadata.name), 'SUCCESS');
  assert.deepEqual(bmc.operations, ['on']);
  const events = (await timelineOf(server, demo)).map(({ event }) => event);
  assert.ok(events.includes('iso-sent'), `it read the image: ${[...new Set(events)].join(' ')}`);
  assert.ok(!events.includes('script-sent'), 'it did not boot from its network');

  const again = (await tink(server, 'reprovision', demo.name, '--boot-mode', 'netboot')).trim();
  await Promise.race([installed(2), ending]);
  assert.equal(await stateOf(again), 'SUCCESS');
  assert.deepEqual(bmc.operations, ['on', 'off', 'on']);
  await tink(server, 'power', 'off', demo.name);
  assert.equal(machine.isOn(), false);
});
