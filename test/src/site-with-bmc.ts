/** A machine that is off, whose BMC powers it, and a server that does not know either of them yet. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildIso, withCacheLock } from '@tinkerbell/hook';
import {
  buildDebianImage,
  createMachine,
  startServer,
  type ApiObject,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import { openBmcOf } from '@tinkerbell/sandbox/bmc';
import { cacheDirectory, enterRack, limitOf, serverOptions } from './bare-machine.ts';
import { installedKubectl } from './installed-kubectl.ts';

export interface BmcSiteOptions {
  readonly firmware: 'bios' | 'uefi';
  readonly protocol: 'ipmi' | 'redfish' | 'amt';
  readonly flags?: readonly string[];
  /** Whether the server has an ISO image of the in-memory OS. */
  readonly hasIso?: boolean;
}

/** `cleanup` ends everything. */
export async function openSiteWithBmc(
  { firmware, protocol, flags = [], hasIso = false }: BmcSiteOptions,
  cleanup: AsyncDisposableStack,
) {
  const options = await serverOptions(firmware, cleanup);
  const { image, kubectl } = await withCacheLock(cacheDirectory, async () => {
    if (hasIso) await buildIso({ architecture: 'x86_64', directory: options.hookDirectory, cacheDirectory });
    return { image: await buildDebianImage({ cacheDirectory }), kubectl: await installedKubectl() };
  });
  linkSync(image.path, join(options.imagesDirectory, 'debian-12.img.zst'));
  const { network, template, demo } = await enterRack(firmware, cleanup);
  const directory = options.dataDirectory;
  const port = await network.addPort();
  const machine = await createMachine({ ...demo, firmware, directory, port, bootOrder: 'disk' });
  cleanup.defer(() => machine.powerOff());
  const bmc = cleanup.use(await openBmcOf(machine, protocol));
  const server = await startServer({
    ...options,
    networkInterface: network.bridge,
    flags: [...flags, '--metadata-auth=off'],
  });
  cleanup.defer(() => server.stop());
  const ending = limitOf(machine.failed, () =>
    [...machine.serial.tail(30), ...server.tail(), ...bmc.operations].join('\n'),
  );
  return {
    demo,
    machine,
    bmc,
    server,
    directory,
    /** Rejects when the machine fails, or after the limit. */
    ending,
    /** Registers the machine with one `kubectl apply`, with its BMC, the Template and this Workflow. */
    apply(workflow: ApiObject, hardware: ApiObject = demo.hardware): void {
      assert.equal(machine.isOn(), false);
      const objects = [...bmc.objects, template, bmc.ofHardware(hardware), workflow];
      const manifest = join(directory, 'site.json');
      writeFileSync(manifest, objects.map((one) => JSON.stringify(one)).join('\n'));
      const kubeconfig = join(directory, 'kubeconfig');
      execFileSync(kubectl, ['--kubeconfig', kubeconfig, 'apply', '-f', manifest], { stdio: 'pipe' });
    },
  };
}

/**
 * The machine read the image, and nothing from its network. The last blocks of an image are read only if they belong to a file that the machine
 * needs, so three quarters are enough.
 */
export function assertBootedFromImage(timeline: readonly TimelineRecord[]): void {
  const shown = timeline.map(({ event, message }) => `${event}: ${message}`).join('\n');
  const isRead = ({ event, message }: TimelineRecord): boolean =>
    event === 'iso-sent' || (event === 'iso-progressed' && message.startsWith('ISO image 75 %'));
  assert.ok(timeline.some(isRead), `it read the image\n${shown}`);
  assert.ok(!timeline.some(({ event }) => event === 'script-served'), 'it did not boot from its network');
}
