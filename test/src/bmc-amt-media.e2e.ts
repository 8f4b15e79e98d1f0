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
  const { demo, machine, bmc, server, ending } = site;
  site.apply(bootedFromImage(demo.workflow, `${server.url}/iso/${demo.mac.replaceAll(':', '-')}/hook.iso`));

  const over = new AbortController();
  cleanup.defer(() => over.abort());
  const words = ['get', 'workflow', demo.workflow.metadata.name, '-o', 'jsonpath={.status.state}'];
  const hasAgent = async (): Promise<void> => {
    while (!over.signal.aborted && !/RUNNING|SUCCESS/.test(await tink(server, ...words))) {
      const jobs = await tink(server, 'get', 'jobs.bmc.tinkerbell.org', '-o', 'yaml');
      assert.doesNotMatch(jobs, /type: Failed/, `${jobs}\n${bmc.operations.join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  };
  await Promise.race([hasAgent(), ending]);
  assert.deepEqual(bmc.operations, ['on'], 'it was off, and nothing restarted it twice');
  assertBootedFromImage(await timelineOf(server, demo));
  const media = ['get', 'machines.bmc.tinkerbell.org', '-o', 'yaml'];
  assert.match(await tink(server, ...media), /bmc-media-url: http.*hook\.iso/, 'a restart inserts it again');

  await tink(server, 'power', 'off', demo.name);
  await tink(server, 'media', 'eject', demo.name);
  assert.doesNotMatch(await tink(server, ...media), /bmc-media-url/);
  assert.equal(machine.isOn(), false);
});
