/** What each stage of Genesis does. */
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createObject, type Machine } from '@tinkerbell/sandbox';
import { openGuestShell, SHELL_READY, type GuestShell } from '../guest-shell.ts';
import { changedByMigration, changedByRestoring } from './checks.ts';
import { actionsNotOnce } from './end-checks.ts';
import { giveBackAddress, moveToPlatform, startSeed } from './moves.ts';
import type { StageName } from './picture.ts';
import { AWAITED_ACTION, objectsIn, type MachineName } from './plan.ts';
import type { Progress } from './progress.ts';
import { DISK_BYTES, FOLDER, machineOf, type Rack } from './rack.ts';
import { orFailed, orReset, printed, show, untilInstalled, untilWorkflow } from './watch.ts';

export const PERFORM: Readonly<
  Record<Exclude<StageName, 'seed'>, (rack: Rack, progress: Progress) => Promise<void>>
> = {
  router: installRouter,
  platform: async (rack, progress) => {
    progress.shells.platform = await installSystem(rack, progress, { name: 'platform' });
  },
  wait: firstNodeWaits,
  move: async (rack, progress) => {
    await move(rack, progress);
    rack.view.step('node-1', rack.seconds(), { what: 'workflow', text: 'continues' });
  },
  nodes: installNodes,
  loss: losePlatform,
  rebuild: async (rack, progress) => {
    const workflow = 'platform-again';
    await progress.home.tink('reprovision', 'platform', '--name', workflow);
    progress.shells.platform = await installSystem(rack, progress, { name: 'platform', workflow });
  },
  return: move,
};

export async function startStack({ place, machines, cleanup, view, seconds }: Rack): Promise<Progress> {
  const seed = await startSeed(place, join(place.directory, 'seed'));
  cleanup.defer(() => seed.server.stop());
  for (const folder of ['../vyos', '../talos', '.']) {
    const path = join(FOLDER, folder, 'template.yaml');
    for (const template of objectsIn(path, await readFile(path, 'utf8')))
      await createObject(seed.server, template);
  }
  for (const { hardware } of machines.values()) await createObject(seed.server, hardware);
  view.step('seed', seconds(), { what: 'server', text: `ready, with ${machines.size} Hardware` });
  return {
    seed,
    home: seed.home,
    shells: {},
    saved: new Map(),
    problems: [],
    firstNodeBooted: Promise.resolve(),
    following: followingUntil(cleanup),
  };
}

function followingUntil(cleanup: AsyncDisposableStack): AbortController {
  const following = new AbortController();
  cleanup.defer(() => following.abort());
  return following;
}

async function installRouter(rack: Rack, progress: Progress): Promise<void> {
  const router = await installSystem(rack, progress, { name: 'router' });
  progress.shells.router = router;
  // Its first boot has started it. This waits until it is ready.
  await orFailed(machineOf(rack, 'router').machine, router.run('systemctl start tinkerbell'));
  rack.view.step('router', rack.seconds(), { what: 'relay', text: 'it relays DHCP' });
}

/** Resolves when the installed system has a shell, and the Workflow has succeeded. */
async function installSystem(
  rack: Rack,
  { home, following }: Progress,
  { name, workflow: existing }: { readonly name: MachineName; readonly workflow?: string },
): Promise<GuestShell> {
  const one = machineOf(rack, name);
  if (existing === undefined) await createObject(home, one.workflow);
  const endShow = show(one, home, { ...rack, signal: following.signal });
  const ready = printed(one.machine, new RegExp(SHELL_READY));
  await powerOn(rack, name);
  const ended = untilInstalled(home, existing ?? one.workflow.metadata.name);
  await untilBooted(rack, one.machine, Promise.all([ended, ready]));
  endShow();
  rack.view.step(name, rack.seconds(), { what: 'installed', text: one.plan.becomes });
  return openGuestShell(one.machine);
}

async function untilBooted(
  { view, seconds }: Rack,
  machine: Machine,
  wanted: Promise<unknown>,
): Promise<void> {
  const onReset = (): void =>
    view.step(machine.name, seconds(), { what: 'reset', text: 'it has printed nothing for 3 minutes' });
  await orFailed(machine, orReset(machine, wanted, onReset));
}

async function powerOn(rack: Rack, name: MachineName): Promise<void> {
  const { machine, plan } = machineOf(rack, name);
  await machine.powerOn();
  rack.view.step(name, rack.seconds(), { what: 'power on', text: `${machine.mac}, ${plan.firmware}` });
}

/** Powers a node on. Returns what resolves when the loader on its disk has started. */
async function startNode(rack: Rack, { home, following }: Progress, name: MachineName) {
  const one = machineOf(rack, name);
  show(one, home, { ...rack, signal: following.signal });
  const booted = printed(one.machine, /lab: loader in .*\/EFI\/BOOT/);
  await powerOn(rack, name);
  return { ...one, booted };
}

async function firstNodeWaits(rack: Rack, progress: Progress): Promise<void> {
  const { home } = progress;
  const { workflow } = machineOf(rack, 'node-1');
  const { name } = workflow.metadata;
  await createObject(home, workflow);
  await home.tink('workflow', 'breakpoint', name, AWAITED_ACTION);
  const { machine, booted } = await startNode(rack, progress, 'node-1');
  progress.firstNodeBooted = booted;
  const waits = untilWorkflow(
    home,
    name,
    ({ isPaused, actions }) => isPaused && actions[0]?.state === 'SUCCESS' && actions[1]?.state === 'PENDING',
  );
  await untilBooted(rack, machine, waits);
  rack.view.step('node-1', rack.seconds(), { what: 'waits', text: `before "${AWAITED_ACTION}"` });
}

async function move(rack: Rack, progress: Progress): Promise<void> {
  const { router, platform } = progress.shells;
  if (router === undefined || platform === undefined)
    throw new Error('the stack moves when both machines run');
  const before = await progress.home.objects();
  progress.following.abort();
  progress.following = followingUntil(rack.cleanup);
  const { home, summary, silentSeconds } = await orFailed(
    machineOf(rack, 'platform').machine,
    moveToPlatform(rack.place, progress.seed, { router, platform, asks: machineOf(rack, 'node-3').mac }),
  );
  progress.home = home;
  progress.problems.push(...changedByMigration(before, await home.objects()));
  for (const text of summary) rack.view.text(`    ${text}`);
  const text = `ready at ${home.url}; no DHCP for ${silentSeconds.toFixed(1)} s`;
  rack.view.step('platform', rack.seconds(), { what: 'server', text });
}

async function installNodes(rack: Rack, progress: Progress): Promise<void> {
  const { home, following } = progress;
  const first = machineOf(rack, 'node-1');
  show(first, home, { ...rack, signal: following.signal });
  const { name } = first.workflow.metadata;
  await home.tink('workflow', 'resume', name);
  await untilBooted(rack, first.machine, Promise.all([progress.firstNodeBooted, untilInstalled(home, name)]));
  await nodeInstalled(rack, 'node-1');
  await Promise.all([joinNode(rack, progress, 'node-2'), joinNode(rack, progress, 'node-3')]);
}

async function joinNode(rack: Rack, progress: Progress, node: MachineName): Promise<void> {
  const { home } = progress;
  const { workflow } = machineOf(rack, node);
  await createObject(home, workflow);
  const { machine, booted } = await startNode(rack, progress, node);
  await untilBooted(rack, machine, Promise.all([booted, untilInstalled(home, workflow.metadata.name)]));
  await nodeInstalled(rack, node);
}

/** Its loader waits for nothing: the machine is switched off, so that the others have the processor. */
async function nodeInstalled(rack: Rack, name: MachineName): Promise<void> {
  const { machine, plan } = machineOf(rack, name);
  rack.view.step(name, rack.seconds(), { what: 'installed', text: plan.becomes });
  await machine.powerOff();
}

/** Backs the site up, destroys the platform's disk, and restores the backup into an empty stack on the seed machine. */
async function losePlatform(rack: Rack, progress: Progress): Promise<void> {
  const { place, view, seconds, cleanup } = rack;
  progress.problems.push(...(await actionsNotOnce(progress.home)));
  progress.saved = await progress.home.objects();
  const backup = join(place.directory, 'site.backup');
  await progress.home.tink('backup', backup);
  view.step('platform', seconds(), { what: 'backup', text: `${progress.saved.size} objects` });
  const { machine } = machineOf(rack, 'platform');
  progress.following.abort();
  await machine.powerOff();
  await truncate(machine.diskPath, 0);
  await truncate(machine.diskPath, DISK_BYTES);
  view.step('platform', seconds(), { what: 'lost', text: 'its disk is empty' });
  const { router } = progress.shells;
  if (router !== undefined) await giveBackAddress(router);
  progress.seed = await startSeed(place, join(place.directory, 'seed-again'));
  const { server, home } = progress.seed;
  cleanup.defer(() => server.stop());
  progress.home = home;
  progress.following = followingUntil(cleanup);
  await home.tink('restore', backup);
  progress.problems.push(...changedByRestoring(progress.saved, await home.objects()));
  view.step('seed', seconds(), { what: 'restored', text: `${progress.saved.size} objects` });
}
