/**
 * A UEFI machine that is off, with a Redfish BMC, is installed by one `kubectl apply`: the Workflow makes its firmware boot once from
 * a URL that no DHCP server has sent. Its serial console is followed over SSH until the installed system asks for a login.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedFromUrl } from '@tinkerbell/sandbox/bmc';
import { serverAddress, timelineOf, tink } from './bare-machine.ts';
import { CONSOLE_FLAGS, newKey, sshWords, watchConsole, withKey } from './console-client.ts';
import { openSiteWithBmc } from './site-with-bmc.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

test('a BMC installs a machine by HTTP boot from a URL', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const site = await openSiteWithBmc(
    { firmware: 'uefi', protocol: 'redfish', flags: CONSOLE_FLAGS },
    cleanup,
  );
  const { demo, machine, bmc, server, directory, ending } = site;
  // DHCP offers ipxe.efi. The address is one that the machine reaches.
  const url = `http://${serverAddress}:7080/ipxe/binary/snponly.efi`;
  const { keyFile, publicKey } = newKey(directory);
  site.apply(bootedFromUrl(demo.workflow, url), withKey(demo.hardware, publicKey));
  const watched = watchConsole('ssh', sshWords(demo.name, keyFile));
  cleanup.defer(() => void watched.child.kill('SIGKILL'));
  await Promise.race([watched.until(/login: $/), ending]);

  const steps = [`URI: ${url}`, 'File Size: ', 'starting Boot2000 "HTTP boot of the BMC"', 'iPXE ', 'hook: '];
  const places = steps.map((step) => watched.text().indexOf(step));
  assert.ok(!places.includes(-1), `${places.join()} of ${steps.join('; ')}: ${watched.text()}`);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  assert.doesNotMatch(watched.text(), /UEFI PXE|BdsDxe: failed/, 'nothing else has booted it');
  const workflow = ['get', 'workflow', demo.workflow.metadata.name, '-o', 'jsonpath={.status.state}'];
  assert.equal((await tink(server, ...workflow)).trim(), 'SUCCESS');
  assert.deepEqual(bmc.operations, ['on'], 'it was off, and nothing restarted it twice');
  const events = await timelineOf(server, demo);
  assert.ok(events.some(({ message }) => message.includes(`boot from ${url} once (UEFI)`)));
  await tink(server, 'power', 'off', demo.name);
  assert.equal(machine.isOn(), false);
});
