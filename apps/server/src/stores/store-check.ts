/** `tinkerbell check`: verifies that the database of a data folder has all acknowledged writes. Changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { acknowledgedPath, verifyDatabase } from '@tinkerbell/store-sqlite/integrity';

export interface StoreReport {
  readonly isIntact: boolean;
  readonly text: string;
}

const WAY_BACK = `
Restore a backup (see docs/guides/operations.md), or start the server once with
--accept-loss, which keeps the intact part and a copy of the damaged files.
`;

/** Reads every page and every row. A server may run meanwhile. */
export function storeReport(dataDirectory: string): StoreReport {
  const path = join(dataDirectory, 'tinkerbell.db');
  if (!existsSync(path) && !existsSync(acknowledgedPath(path)))
    return { isIntact: false, text: `${path} not found; set the folder of the server with --data-dir\n` };
  const { damages, tallies } = verifyDatabase(path, { depth: 'full' });
  if (damages.length > 0) {
    const lines = damages.map(({ place, problem }) => `  ${place}: ${problem}`);
    return { isIntact: false, text: [`${path} is damaged:`, ...lines, WAY_BACK].join('\n') };
  }
  const lines = [...tallies].map(([table, { rows }]) => `  ${table.padEnd(14)}  ${rows} records`);
  const revision = tallies.get('objects')?.version;
  const upTo = revision === undefined ? '' : `, up to revision ${revision}`;
  return { isIntact: true, text: [`${path} is intact${upTo}:`, ...lines, ''].join('\n') };
}
