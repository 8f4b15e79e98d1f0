import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Firmware } from '@tinkerbell/sandbox';
import { provisionWithServerKilled } from './provision.ts';

/**
 * Registers the only test of a file. A process enters its private network once, so each firmware has its own
 * file.
 */
export function provisionTest(firmware: Firmware): void {
  const skip = process.getuid?.() === 0 ? false : 'needs root for its own network and disk images';
  test(
    `a bare machine (${firmware}) installs itself although the server is killed in the middle of image2disk`,
    { skip },
    async () => {
      const { timeline, events, workflow, consoleTail } = await provisionWithServerKilled(firmware);
      assert.equal(workflow.status.state, 'SUCCESS', consoleTail.join('\n'));
      const seen = timeline.map((record) => record.event);
      const order = [
        'offer-sent',
        'script-served',
        'action-started',
        'server-restarted',
        'action-succeeded',
        'script-served',
      ];
      let from = 0;
      for (const event of order) {
        const index = seen.indexOf(event, from);
        assert.ok(index >= 0, `no ${event} after ${seen.slice(0, from).join(', ')}`);
        from = index + 1;
      }
      const resumed = timeline.some(
        (record) => record.event === 'transfer-started' && Number(record.details?.['offset']) > 0,
      );
      assert.ok(resumed, 'the image was resumed where it broke off');
      assert.match(events, /server-restarted +server restarted; the workflow continues at write image/);
    },
  );
}
