/**
 * The Debian packages on a virtual machine: installed, they install another virtual machine; the server's machine restarts, the
 * server is upgraded with its data, and purged.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildHook, withCacheLock } from '@tinkerbell/hook';
import { builtPackages, cacheDirectory } from '@tinkerbell/packaging/testing';
import {
  createMachine,
  enterPrivateNetwork,
  loadDemoManifests,
  startRouterAdvertiser,
  type DemoMachine,
  type Machine,
  type PrivateNetwork,
} from '@tinkerbell/sandbox';
import { dhcpSilence } from '../genesis/dhcp-silence.ts';
import { orFailed, orReset, printed } from '../genesis/watch.ts';
import { openGuestShell, SHELL_READY, type GuestShell } from '../guest-shell.ts';
import { NEXT_VERSION, WORKFLOW, writeDelivery } from './delivery.ts';
import { createServerMachine, PREPARE_DISKS, serverDisk } from './server-machine.ts';

const OWN_ADDRESS = '192.168.56.1';
const INSTALL_LIMIT_MS = 15 * 60_000;

/** Called with what has happened. */
export type Tell = (text: string) => void;

/** Everything that it starts has ended when it settles. @throws Error with the end of a console when something is wrong. */
export async function runPackageMachine(tell: Tell): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error('needs root for its own network and disk images: run it with sudo');
  await using cleanup = new AsyncDisposableStack();
  const site = await openSite(cleanup);
  const server = await createServerMachine(site);
  cleanup.defer(() => server.powerOff());
  let shell = await shellAfter(server, () => server.powerOn());
  tell('systemd runs');
  await shell.run(PREPARE_DISKS);
  await shell.run(`${FILES} >/root/before`);
  await installed({ shell, site, tell });
  await machineInstalled({ shell, site, tell, cleanup });
  shell = await shellAfter(server, async () => server.type(Buffer.from('systemctl reboot\n')));
  await running(shell);
  tell('the server runs after a restart of its machine');
  await shell.run('mount -o ro /dev/vdb /mnt');
  await upgraded(shell);
  tell(`${NEXT_VERSION} runs with the data, ${await silence(site)} s until the next DHCP answer`);
  await purged(shell);
  tell('nothing is left after a purge');
}

interface Site {
  readonly directory: string;
  readonly network: PrivateNetwork;
  readonly disk: string;
  readonly delivery: string;
  readonly bare: DemoMachine;
}

interface Step {
  readonly shell: GuestShell;
  readonly site: Site;
  readonly tell: Tell;
}

async function openSite(cleanup: AsyncDisposableStack): Promise<Site> {
  await mkdir(join(cacheDirectory, 'test'), { recursive: true });
  const directory = await mkdtemp(join(cacheDirectory, 'test', 'package-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const hookDirectory = join(cacheDirectory, 'test', 'hook-package');
  const build = { outputDirectory: hookDirectory, cacheDirectory, release: false };
  await withCacheLock(cacheDirectory, () => buildHook(build));
  const packages = await builtPackages({ outputDirectory: join(directory, 'packages'), hookDirectory });
  const disk = await serverDisk();
  const [bare] = (await loadDemoManifests(1, 'bios')).machines;
  assert.ok(bare !== undefined);
  const delivery = join(directory, 'delivery');
  await mkdir(delivery);
  writeDelivery(delivery, packages, bare);
  const network = await enterPrivateNetwork(OWN_ADDRESS);
  cleanup.defer(startRouterAdvertiser(network.bridge));
  return { directory, network, disk, delivery, bare };
}

async function shellAfter(machine: Machine, start: () => Promise<void>): Promise<GuestShell> {
  const ready = printed(machine, new RegExp(SHELL_READY));
  await start();
  await orFailed(
    machine,
    orReset(machine, ready, () => undefined),
  );
  return openGuestShell(machine);
}

async function installed({ shell, site, tell }: Step): Promise<void> {
  const startedMs = performance.now();
  const seconds = (): string => ((performance.now() - startedMs) / 1000).toFixed(1);
  const answered = silence(site);
  await shell.run('dpkg -i /mnt/tinkerbell-os.deb /mnt/tinkerbell.deb');
  tell(`dpkg -i has ended after ${seconds()} s`);
  await running(shell);
  await shell.run('tink apply -f /mnt/hardware.yaml');
  await answered;
  tell(`dpkg -i, tink apply and the first DHCP answer took ${seconds()} s`);
}

/** Resolves with the seconds until the bare machine would get an address. */
async function silence({ network, bare }: Site): Promise<string> {
  return (await dhcpSilence(network.bridge, bare.mac)).toFixed(1);
}

/** Of the server's threads. */
const POLICIES = 'chrt --all-tasks --pid "$(systemctl show -P MainPID tinkerbell)"';

async function running(shell: GuestShell): Promise<void> {
  await shell.run('timeout 240 sh -c "until systemctl is-active -q tinkerbell; do sleep 0.2; done"');
  // The limits of the unit let the thread that answers packets run before all others, when it has started.
  await shell.run(`timeout 60 sh -c 'until ${POLICIES} | grep -q SCHED_RR; do sleep 0.2; done'`);
}

async function machineInstalled({
  shell,
  site,
  tell,
  cleanup,
}: Step & { cleanup: AsyncDisposableStack }): Promise<void> {
  const { network, directory, bare } = site;
  await shell.run('install -D -m 644 /mnt/small.img /var/lib/tinkerbell/images/small.img');
  await shell.run('chown -R tinkerbell: /var/lib/tinkerbell/images && tink apply -f /mnt/workflow.yaml');
  const port = await network.addPort();
  const machine = await createMachine({ ...bare, firmware: 'bios', directory, port });
  cleanup.defer(() => machine.powerOff());
  await machine.powerOn();
  const wait = `tink wait wf ${WORKFLOW} --for state=SUCCESS --timeout 10m`;
  const onReset = (): void => tell('the bare machine has printed nothing for 3 minutes, and was reset');
  await orFailed(machine, orReset(machine, shell.run(wait, INSTALL_LIMIT_MS), onReset));
  await machine.powerOff();
  const label = execFileSync('e2label', [machine.diskPath], { encoding: 'utf8' }).trim();
  assert.equal(label, 'installed', 'the disk of the bare machine');
  tell('a bare machine has booted from it, and its Workflow has succeeded');
}

async function upgraded(shell: GuestShell): Promise<void> {
  const output = await shell.run('dpkg -i /mnt/next.deb');
  assert.doesNotMatch(output.join('\n'), /was not started again|did not restart/);
  await running(shell);
  await shell.run(`test "$(dpkg-query -W -f '\${Version}' tinkerbell)" = ${NEXT_VERSION}`);
  await shell.run('tr "\\0" " " </proc/$(systemctl show -P MainPID tinkerbell)/cmdline | grep ffffffff');
  await shell.run(`tink get wf ${WORKFLOW} -o json | grep SUCCESS`);
}

/** Names of files that an administrator's Debian has, without what dpkg, adduser and the journal keep about any package. */
const FILES =
  'find /etc /opt /usr /var -xdev -not -path "/var/log/*" -not -path "/var/lib/dpkg/*" -not -path "/var/tmp/*" -not -name "*-" -not -name .pwd.lock | sort';

async function purged(shell: GuestShell): Promise<void> {
  await shell.run('dpkg -P tinkerbell tinkerbell-os');
  await shell.run(`${FILES} >/root/after`);
  const output = await shell.run('comm -13 /root/before /root/after | sed "s/^/left: /"');
  assert.deepEqual(
    output.filter((line) => line.startsWith('left: ')),
    [],
    'files after the purge',
  );
  await shell.run('! systemctl cat tinkerbell && ! find /proc -maxdepth 1 -user tinkerbell | grep .');
}
