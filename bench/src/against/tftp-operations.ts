import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createNetwork } from '../network-namespace.ts';
import { startTinkerbell } from '../tinkerbell-server.ts';
import { BOOT_FILE, CASES, measure } from '../tftp.ts';
import type { StartOperations } from './operation.ts';

const ADDRESS = '10.199.0.1';

export const startTftpOperations: StartOperations = async (context, checkout) => {
  const network = await createNetwork(context, [ADDRESS]);
  const root = join(context.directory, 'files');
  mkdirSync(root);
  writeFileSync(join(root, BOOT_FILE.name), Buffer.alloc(BOOT_FILE.bytes, 1));
  const { pid } = await startTinkerbell(context, {
    dataDirectory: join(context.directory, 'data'),
    checkout,
    network,
    flags: [
      `--public-ipv4=${ADDRESS}`,
      `--bind-address=${ADDRESS}`,
      '--dhcp-enabled=false',
      `--tftp-asset-dir=${root}`,
    ],
  });
  return CASES.map((one) => ({
    name: `TFTP, window ${one.windowSize}, ${one.clients} client${one.clients === 1 ? '' : 's'}`,
    unit: 's/GB',
    measure: async () =>
      (await measure(context, { network, address: ADDRESS, pid }, one)).processorSecondsPerGigabyte,
  }));
};
