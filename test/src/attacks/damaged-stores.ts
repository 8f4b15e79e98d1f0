/**
 * Files of a data folder that a disk, a crash or a person damaged. A loss or a change that no error reports
 * is the failure.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { damageOnce } from '../damage/damage-run.ts';
import { writeStore } from '../damage/written-store.ts';
import type { Attack } from './attack.ts';

/** A short history, so that the event loop has turns for other work. */
const WRITES_MAX = 40;

export const damagedStores: Attack = {
  name: 'damaged-stores',
  sends: 'file',
  async once({ folder: parent }, choice) {
    const folder = mkdtempSync(join(parent, 'store-'));
    try {
      const writes = 5 + choice.below(WRITES_MAX);
      const written = await writeStore({ folder, choice, writes, bytesMax: choice.of([40, 600, 9000]) });
      const { what, verdict } = await damageOnce(written, join(folder, 'damaged'), choice);
      if (verdict !== 'refused' && verdict !== 'harmless') throw new Error(`${what}: ${verdict}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
