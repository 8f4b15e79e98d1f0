/**
 * A machine that is off, with a Redfish BMC and no way to boot from its network, is installed from an ISO image in its virtual drive
 * by one `kubectl apply`. Then `tink reprovision` boots it again, this time from the network, up to the agent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedFromImage } from '@tinkerbell/sandbox/bmc';
import { timelineOf, tink } from './bare-machine.ts';
import { assertBootedFromImage, openSiteWithBmc } from './site-with-bmc.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

test(
  'a BMC installs a machine from virtual media, and boots it again from the network',
  { skip },
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const site = await openSiteWithBmc({ firmware: 'bios', protocol: 'redfish', hasIso: true }, cleanup);
    const { demo, machine, bmc, server } = site;
    site.apply(bootedFromImage(demo.workflow, `${server.url}/iso/${demo.mac.replaceAll(':', '-')}/hook.iso`));
    await site.reaches(demo.workflow.metadata.name, 'SUCCESS');
    assert.deepEqual(bmc.operations, ['on']);
    assertBootedFromImage(await timelineOf(server, demo));

    const again = (await tink(server, 'reprovision', demo.name, '--boot-mode', 'netboot')).trim();
    await site.reaches(again, 'RUNNING', 'SUCCESS');
    assert.deepEqual(bmc.operations, ['on', 'off', 'on']);
    assert.ok((await timelineOf(server, demo)).some(({ event }) => event === 'script-served'));
    await tink(server, 'power', 'off', demo.name);
    assert.equal(machine.isOn(), false);
  },
);
