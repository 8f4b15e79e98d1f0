/**
 * A UEFI machine that is off, with a Redfish BMC, boots by one `kubectl apply`: the Workflow makes its firmware boot once from
 * a URL that no DHCP server has sent. Its serial console is followed over SSH, up to the agent. As a whole: until the installed system asks
 * for a login.
 */
import assert from 'node:assert/strict';
import { bootedFromUrl } from '@tinkerbell/sandbox/bmc';
import { serverAddress, timelineOf, tink } from '../bare-machine.ts';
import { CONSOLE_FLAGS, newKey, sshWords, watchConsole, withKey } from '../console-client.ts';
import type { BmcCase } from './bmc-case.ts';
import { openSiteWithBmc } from './site-with-bmc.ts';

// DHCP offers ipxe.efi. The address is one that the machine reaches.
const url = `http://${serverAddress}:7080/ipxe/binary/snponly.efi`;
const STEPS = [`URI: ${url}`, 'File Size: ', 'starting Boot2000 "HTTP boot of the BMC"', 'iPXE ', 'hook: '];

export const httpBoot: BmcCase = {
  name: 'redfish: HTTP boot from a URL',
  async run(extent) {
    await using cleanup = new AsyncDisposableStack();
    const options = { firmware: 'uefi', protocol: 'redfish', flags: CONSOLE_FLAGS } as const;
    const site = await openSiteWithBmc(options, cleanup);
    const { demo, machine, bmc, server, directory, ending } = site;
    const { keyFile, publicKey } = newKey(directory);
    site.apply(bootedFromUrl(demo.workflow, url), withKey(demo.hardware, publicKey));
    const watched = watchConsole('ssh', sshWords(demo.name, keyFile));
    cleanup.defer(() => void watched.child.kill('SIGKILL'));
    const workflow = demo.workflow.metadata.name;
    await Promise.race([watched.until(extent === 'short' ? /agent: / : /login: $/), ending]);
    if (extent === 'short') await site.reaches(workflow, 'RUNNING', 'SUCCESS');
    else assert.equal(await site.stateOf(workflow), 'SUCCESS');

    assertInOrder(watched.text(), STEPS);
    assert.doesNotMatch(watched.text(), /UEFI PXE|BdsDxe: failed/, 'nothing else has booted it');
    assert.deepEqual(bmc.operations, ['on'], 'it was off, and nothing restarted it twice');
    const events = await timelineOf(server, demo);
    assert.ok(events.some(({ message }) => message.includes(`boot from ${url} once (UEFI)`)));
    await tink(server, 'power', 'off', demo.name);
    assert.equal(machine.isOn(), false);
  },
};

function assertInOrder(text: string, steps: readonly string[]): void {
  const places = steps.map((step) => text.indexOf(step));
  assert.ok(!places.includes(-1), `${places.join()} of ${steps.join('; ')}: ${text}`);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
}
