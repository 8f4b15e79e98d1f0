/**
 * A PC that is off, with Intel AMT and no way to boot from its network, boots an ISO image by one `kubectl apply`. The server serves the
 * image through the redirected drive (IDER) of AMT, up to the agent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedFromImage } from '@tinkerbell/sandbox/bmc';
import { timelineOf, tink } from './bare-machine.ts';
import { assertBootedFromImage, openSiteWithBmc } from './site-with-bmc.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

test('a machine with Intel AMT boots from an image that the server serves', { skip }, async () => {
  await using cleanup = new AsyncDisposableStack();
  const site = await openSiteWithBmc({ firmware: 'bios', protocol: 'amt', hasIso: true }, cleanup);
  const { demo, machine, bmc, server } = site;
  site.apply(bootedFromImage(demo.workflow, `${server.url}/iso/${demo.mac.replaceAll(':', '-')}/hook.iso`));
  await site.reaches(demo.workflow.metadata.name, 'RUNNING', 'SUCCESS');
  assert.deepEqual(bmc.operations, ['on'], 'it was off, and nothing restarted it twice');
  assertBootedFromImage(await timelineOf(server, demo));
  const media = ['get', 'machines.bmc.tinkerbell.org', '-o', 'yaml'];
  assert.match(await tink(server, ...media), /bmc-media-url: http.*hook\.iso/, 'a restart inserts it again');

  await tink(server, 'power', 'off', demo.name);
  await tink(server, 'media', 'eject', demo.name);
  assert.doesNotMatch(await tink(server, ...media), /bmc-media-url/);
  assert.equal(machine.isOn(), false);
});
