/** The machines of Genesis with their objects, and where each of them prints. */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createMachine, type DemoView, type Machine } from '@tinkerbell/sandbox';
import type { Place } from './place.ts';
import { MACHINES, objectsOf, type MachineName, type MachineObjects, type PlannedMachine } from './plan.ts';
import type { SinceStart, Watched } from './watch.ts';

export const FOLDER = join(import.meta.dirname, '../../../examples/genesis');
/** The serial console of each machine is in a file there. */
export const LOGS = join(import.meta.dirname, '../../../out/genesis');

export const DISK_BYTES = 4 * 1024 ** 3;
const NODE_DISK_BYTES = 256 * 1024 ** 2;
const ROUTER_MEMORY_MEBIBYTES = 1024;
const MEMORY_MEBIBYTES = 2048;
const SECOND_CARD = '08:00:27:9e:f5:51';

export type RackMachine = Watched & MachineObjects & { readonly plan: PlannedMachine };

export interface Rack {
  readonly view: DemoView;
  readonly seconds: SinceStart;
  readonly place: Place;
  readonly machines: ReadonlyMap<MachineName, RackMachine>;
  readonly cleanup: AsyncDisposableStack;
}

export async function createMachines(place: Place, cleanup: AsyncDisposableStack): Promise<Rack['machines']> {
  const read = (name: string): Promise<string> => readFile(join(FOLDER, `${name}.yaml`), 'utf8');
  const texts = { hardware: await read('hardware'), workflow: await read('workflow') };
  await rm(LOGS, { recursive: true, force: true });
  await mkdir(LOGS, { recursive: true });
  const machines = await Promise.all(
    MACHINES.map(async (plan) => {
      const objects = objectsOf(plan, texts, place.checksums);
      const isNode = plan.name.startsWith('node');
      const machine = await createMachine({
        ...plan,
        mac: objects.mac,
        directory: place.directory,
        port: await place.addPort(plan.network),
        diskBytes: isNode ? NODE_DISK_BYTES : DISK_BYTES,
        memoryMebibytes: plan.name === 'router' ? ROUTER_MEMORY_MEBIBYTES : MEMORY_MEBIBYTES,
        ...(plan.name === 'router'
          ? { moreCards: [{ mac: SECOND_CARD, port: await place.addPort('provisioning') }] }
          : {}),
      });
      cleanup.defer(keepConsole(machine));
      cleanup.defer(() => machine.powerOff());
      return [plan.name, { machine, plan, ...objects }] as const;
    }),
  );
  return new Map(machines);
}

/** Returns what ends the file. */
function keepConsole({ name, serial }: Machine): () => Promise<void> {
  const file = createWriteStream(join(LOGS, `${name}.console`));
  serial.onBytes((chunk) => void file.write(chunk));
  return async () => {
    file.end();
    await finished(file);
  };
}

export function machineOf({ machines }: Rack, name: MachineName): RackMachine {
  const found = machines.get(name);
  if (found === undefined) throw new Error(`no machine ${name}`);
  return found;
}
