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
  type RunningServer,
  type TimelineRecord,
} from '@tinkerbell/sandbox';
import { openBmcOf } from '@tinkerbell/sandbox/bmc';
import { cacheDirectory, enterRack, limitOf, serverOptions, tink } from '../bare-machine.ts';
import { installedKubectl } from '../installed-kubectl.ts';

export interface BmcSiteOptions {
  readonly firmware: 'bios' | 'uefi';
  readonly protocol: 'ipmi' | 'redfish' | 'amt';
  readonly flags?: readonly string[];
  /** Whether the server has an ISO image of the in-memory OS. */
  readonly hasIso?: boolean;
}

type SiteWithBmc = Awaited<ReturnType<typeof openSiteWithBmc>>;

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
  const over = new AbortController();
  cleanup.defer(() => over.abort());
  let console = '';
  machine.serial.onBytes((chunk) => (console = (console + new TextDecoder().decode(chunk)).slice(-500_000)));
  const ending = limitOf(machine.failed, () =>
    [...machine.serial.tail(30), ...server.tail(), ...bmc.operations].join('\n'),
  );
  const stateOf = async (workflow: string): Promise<string> =>
    (await tink(server, 'get', 'workflow', workflow, '-o', 'jsonpath={.status.state}')).trim();
  /** Rejects when a Job of the BMC fails, and as `ending` does. */
  const until = (isSo: () => boolean | Promise<boolean>): Promise<void> =>
    Promise.race([untilTrue({ server, bmc, signal: over.signal }, isSo), ending]);
  return {
    demo,
    machine,
    bmc,
    server,
    directory,
    /** Rejects when the machine fails, or after the limit. */
    ending,
    stateOf,
    /** Resolves when the Workflow is in one of the states. Rejects when a Job of the BMC fails, and as `ending` does. */
    reaches: (workflow: string, ...states: readonly string[]) =>
      until(async () => states.includes(await stateOf(workflow))),
    /** Resolves when installed systems have asked for a login this many times. Rejects as `reaches` does. */
    asksForLogin: (times: number) => until(() => (console.match(/login: /g)?.length ?? 0) >= times),
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

interface Waiting {
  readonly server: RunningServer;
  readonly bmc: { readonly operations: readonly string[] };
  readonly signal: AbortSignal;
}

/** A start of `tink` takes processor time from the machine, which is emulated. */
const POLL_MS = 4000;

async function untilTrue(
  { server, bmc, signal }: Waiting,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  while (!signal.aborted && !(await isSo())) {
    const jobs = await tink(server, 'get', 'jobs.bmc.tinkerbell.org', '-o', 'yaml');
    assert.doesNotMatch(jobs, /type: Failed/, `${jobs}\n${bmc.operations.join(' ')}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The URL of the image with the in-memory OS for the machine of the site. */
export function imageUrl({ server, demo }: Pick<SiteWithBmc, 'server' | 'demo'>): string {
  return `${server.url}/iso/${demo.mac.replaceAll(':', '-')}/hook.iso`;
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
