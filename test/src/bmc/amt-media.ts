/**
 * A PC that is off, with Intel AMT and no way to boot from its network, boots an ISO image by one `kubectl apply`. The server serves the
 * image through the redirected drive (IDER) of AMT, up to the agent. As a whole: the disk is
 * installed and boots, and the Workflow has ejected the image.
 */
import assert from 'node:assert/strict';
import { bootedFromImage } from '@tinkerbell/sandbox/bmc';
import { timelineOf, tink } from '../bare-machine.ts';
import type { BmcCase } from './bmc-case.ts';
import { assertBootedFromImage, imageUrl, openSiteWithBmc } from './site-with-bmc.ts';

export const amtMedia: BmcCase = {
  name: 'amt: an image that the server serves',
  async run(extent) {
    await using cleanup = new AsyncDisposableStack();
    const site = await openSiteWithBmc({ firmware: 'bios', protocol: 'amt', hasIso: true }, cleanup);
    const { demo, machine, bmc, server } = site;
    site.apply(bootedFromImage(demo.workflow, imageUrl(site)));
    const media = (): Promise<string> => tink(server, 'get', 'machines.bmc.tinkerbell.org', '-o', 'yaml');
    await site.reaches(demo.workflow.metadata.name, 'RUNNING', 'SUCCESS');
    assertBootedFromImage(await timelineOf(server, demo));
    assert.match(await media(), /bmc-media-url: http.*hook\.iso/, 'a restart inserts it again');
    if (extent === 'whole') {
      await site.reaches(demo.workflow.metadata.name, 'SUCCESS');
      await site.asksForLogin(1);
    }
    assert.deepEqual(bmc.operations, ['on'], 'it was off, and nothing restarted it twice');
    await tink(server, 'power', 'off', demo.name);
    if (extent === 'short') await tink(server, 'media', 'eject', demo.name);
    assert.doesNotMatch(await media(), /bmc-media-url/);
    assert.equal(machine.isOn(), false);
  },
};
