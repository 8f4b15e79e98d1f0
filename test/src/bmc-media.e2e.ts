/**
 * A machine that is off, with a Redfish BMC and no way to boot from its network, is installed from an ISO image in its virtual drive
 * by one `kubectl apply`. Then `tink reprovision` installs it again, this time from the network.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedFromImage } from '@tinkerbell/sandbox/bmc';
import { timelineOf, tink } from './bare-machine.ts';
import { assertBootedFromImage, openSiteWithBmc } from './site-with-bmc.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';
const LOGIN = /login: /g;

test('a BMC installs a machine from virtual media, and again from the network', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const site = await openSiteWithBmc({ firmware: 'bios', protocol: 'redfish', hasIso: true }, cleanup);
  const { demo, machine, bmc, server, ending } = site;
  site.apply(bootedFromImage(demo.workflow, `${server.url}/iso/${demo.mac.replaceAll(':', '-')}/hook.iso`));

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
  assertBootedFromImage(await timelineOf(server, demo));

  const again = (await tink(server, 'reprovision', demo.name, '--boot-mode', 'netboot')).trim();
  await Promise.race([installed(2), ending]);
  assert.equal(await stateOf(again), 'SUCCESS');
  assert.deepEqual(bmc.operations, ['on', 'off', 'on']);
  await tink(server, 'power', 'off', demo.name);
  assert.equal(machine.isOn(), false);
});
