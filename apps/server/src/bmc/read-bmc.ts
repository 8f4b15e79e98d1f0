/** Reads what a BMC reports now, for the active checks of the doctor. */
import {
  describeBootSetting,
  pinnedConnection,
  type BootSetting,
  type PinnedConnection,
} from '@tinkerbell/bmc';
import { BmcError, type BmcConnections } from '@tinkerbell/engine-bmc';
import type { BmcMachine } from '@tinkerbell/resources';
import type { BmcReading } from '@tinkerbell/service-doctor';

/** Rejects with the reason for an operator. The boot device is absent if no driver can read it. */
export async function readBmc(
  connections: Pick<BmcConnections, 'use'>,
  machine: BmcMachine,
): Promise<BmcReading> {
  const connection = pinnedConnection(machine);
  if (connection === undefined) throw new Error(`Machine ${machine.metadata.name} has no spec.connection`);
  const power = await connections.use(connection, {
    name: 'read the power state',
    isRepeatable: true,
    run: (session) => session.powerState(),
  });
  const setting = await bootSetting(connections, connection);
  return setting === undefined ? { power } : { power, bootDevice: textOf(setting) };
}

async function bootSetting(
  connections: Pick<BmcConnections, 'use'>,
  connection: PinnedConnection,
): Promise<BootSetting | undefined> {
  try {
    return await connections.use(connection, {
      name: 'read the boot device',
      isRepeatable: true,
      run: (session) => session.bootDevice?.(),
    });
  } catch (thrown) {
    if (thrown instanceof BmcError) return undefined;
    throw thrown;
  }
}

function textOf(setting: BootSetting): string {
  return setting.device === 'none' ? 'the boot order of the firmware' : describeBootSetting(setting);
}
