import { defineAction, runProgram, type ActionContext } from '@tinkerbell/action-kit';

import { deviceNames, firmwareIn } from './network-facts.ts';
import { postJson } from './post-json.ts';
import { readSettings } from './settings.ts';

const PROGRAM_LIMIT_MS = 5000;

/** Prints what the machine is made of as JSON, and sends it to DEST_URL. */
export const inventoryAction = defineAction('inventory', async (environment, context) => {
  const { url } = readSettings(environment);
  // Loaded here, because other actions must start without the protobuf runtime.
  const { readInventory } = await import('./read-inventory.ts');
  const inventory = readInventory('/', await firmwareVersions(context));
  // In lines, because the server cuts long ones.
  const text = JSON.stringify(inventory, undefined, 1);
  for (const line of text.split('\n')) context.log.info(line);
  if (url !== undefined) await postJson(url, text, context);
  const { disks, network, pci } = inventory;
  const counts = `${disks.length} disks, ${network.length} network interfaces, ${pci.length} PCI devices`;
  return { message: url === undefined ? `found ${counts}` : `sent ${counts} to ${url.href}` };
});

/** The kernel gives the version only to ioctl. Without ethtool it stays unknown. */
async function firmwareVersions(context: ActionContext): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  for (const name of deviceNames('/')) {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PROGRAM_LIMIT_MS)]);
    const ended = await runProgram('ethtool', ['-i', name], { signal }).catch(() => undefined);
    if (ended === undefined) break;
    if (ended.code === 0) versions.set(name, firmwareIn(ended.output));
  }
  return versions;
}
