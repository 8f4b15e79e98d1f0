/** The BMC of a machine, which may lie. */
import { runCommand, withCacheLock } from '@tinkerbell/hook';
import { buildDebianImage, type Machine } from '@tinkerbell/sandbox';
import { openBmcOf, type MachineBmc } from '@tinkerbell/sandbox/bmc';
import { cacheDirectory } from '../bare-machine.ts';
import type { Fault } from './fault.ts';

/** Returns undefined for a machine without a BMC. The BMC listens on the address. */
export async function bmcFor(
  { bmc: wanted }: Fault,
  { machine, address }: { readonly machine: Machine; readonly address: string },
  cleanup: AsyncDisposableStack,
): Promise<MachineBmc | undefined> {
  if (wanted === undefined) return undefined;
  const bmc = cleanup.use(await openBmcOf(machine, wanted.protocol, address));
  const { ipmi, redfish } = bmc.lies;
  if (wanted.ignores === 'boot-device') {
    ipmi.ignoresBootDevice = true;
    if (redfish !== undefined) redfish.ignoresBootDevice = true;
  }
  if (wanted.ignores === 'override' && redfish !== undefined) redfish.losesOverride = true;
  return wanted.hasWrongPassword === true ? { ...bmc, objects: bmc.objects.map(withWrongPassword) } : bmc;
}

function withWrongPassword(object: MachineBmc['objects'][number]): MachineBmc['objects'][number] {
  if (object.kind !== 'Secret') return object;
  return { ...object, stringData: { username: 'admin', password: 'another' } };
}

/** Writes Debian to the disk of a machine that is off. It asks for an address when it starts. */
export async function installDisk({ diskPath }: Machine): Promise<void> {
  const { path } = await withCacheLock(cacheDirectory, () => buildDebianImage({ cacheDirectory }));
  await runCommand('zstd', ['--decompress', '--force', '--quiet', '--sparse', path, '-o', diskPath]);
}
