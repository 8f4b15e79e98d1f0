/**
 * One bare machine in a separate network, from power-on to the login prompt of the system that was written to
 * its disk. During image2disk the server is killed and started again.
 */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createMachine,
  createObject,
  startServer,
  type Firmware,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import {
  cacheDirectory,
  enterRack,
  limitOf,
  serverOptions,
  timelineOf,
  tink,
  until,
} from './bare-machine.ts';

export interface Provision {
  /** The workflow's whole timeline, oldest first. */
  readonly timeline: readonly TimelineRecord[];
  /** The output of `tink workflow events` at the end. */
  readonly events: string;
  /** The output of `tink get workflow -o json` at the end. */
  readonly workflow: { readonly status: { readonly state: string } };
  readonly consoleTail: readonly string[];
}

/** Resolves when the login prompt appears. Rejects with the end of the console when it does not. */
export async function provisionWithServerKilled(firmware: Firmware): Promise<Provision> {
  await using cleanup = new AsyncDisposableStack();
  const options = await serverOptions(firmware, cleanup);
  const image = await withCacheLock(cacheDirectory, () => buildDebianImage({ cacheDirectory }));
  await link(image.path, join(options.imagesDirectory, 'debian-12.img.zst'));
  const { network, template, demo: demoMachine } = await enterRack(firmware, cleanup);
  let server = await startServer({ ...options, networkInterface: network.bridge });
  cleanup.defer(() => server.stop());
  for (const object of [template, demoMachine.hardware, demoMachine.workflow])
    await createObject(server, object);
  const directory = options.dataDirectory;
  const machine = await createMachine({ ...demoMachine, firmware, directory, port: await network.addPort() });
  cleanup.defer(() => machine.powerOff());
  const isLoggedIn = new Promise<void>((resolve) =>
    machine.serial.onLine((line) => line.endsWith(' login:') && resolve()),
  );
  const ending = limitOf(machine.failed, () => machine.serial.tail(30).join('\n'));
  await machine.powerOn();

  await Promise.race([until(server, demoMachine, isWritingImage), ending]);
  await server.kill();
  server = await startServer({ ...options, networkInterface: network.bridge });
  await Promise.race([isLoggedIn, ending]);
  return {
    timeline: await timelineOf(server, demoMachine),
    events: await tink(server, 'workflow', 'events', demoMachine.workflow.metadata.name),
    workflow: JSON.parse(
      await tink(server, 'get', 'workflow', demoMachine.workflow.metadata.name, '-o', 'json'),
    ) as Provision['workflow'],
    consoleTail: machine.serial.tail(5),
  };
}

/** Half a second into the image: some of it is on the disk, and most of it is not. */
function isWritingImage(record: TimelineRecord): boolean {
  return record.event === 'action-progressed' && /write image/.test(record.message);
}
