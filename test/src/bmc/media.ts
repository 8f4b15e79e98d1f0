/**
 * A machine that is off, with a Redfish BMC and no way to boot from its network, is installed from an ISO image in its virtual drive
 * by one `kubectl apply`. As a whole: its disk boots, and `tink reprovision` installs it again, this time from the network.
 */
import assert from 'node:assert/strict';
import { bootedFromImage } from '@tinkerbell/sandbox/bmc';
import { timelineOf, tink } from '../bare-machine.ts';
import type { BmcCase } from './bmc-case.ts';
import { assertBootedFromImage, imageUrl, openSiteWithBmc } from './site-with-bmc.ts';

export const media: BmcCase = {
  name: 'redfish: virtual media, then the network',
  async run(extent) {
    await using cleanup = new AsyncDisposableStack();
    const site = await openSiteWithBmc({ firmware: 'bios', protocol: 'redfish', hasIso: true }, cleanup);
    const { demo, machine, bmc, server } = site;
    site.apply(bootedFromImage(demo.workflow, imageUrl(site)));
    await site.reaches(demo.workflow.metadata.name, 'SUCCESS');
    if (extent === 'whole') await site.asksForLogin(1);
    assert.deepEqual(bmc.operations, ['on']);
    assertBootedFromImage(await timelineOf(server, demo));
    if (extent === 'whole') {
      const again = (await tink(server, 'reprovision', demo.name, '--boot-mode', 'netboot')).trim();
      await site.asksForLogin(2);
      assert.equal(await site.stateOf(again), 'SUCCESS');
      assert.deepEqual(bmc.operations, ['on', 'off', 'on']);
    }
    await tink(server, 'power', 'off', demo.name);
    assert.equal(machine.isOn(), false);
  },
};
