/** Genesis from an empty rack to the rebuilt platform: each stage of the sequence, on machines of QEMU. */
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createMachine, createObject, type DemoView } from '@tinkerbell/sandbox';
import { changedByMigration, changedByRestoring, notOnce, progressOf, type Objects } from './checks.ts';
import { diskProblems } from './disks.ts';
import { openGuestShell, type GuestShell } from './guest-shell.ts';
import type { Home } from './home.ts';
import { giveBackAddress, moveToPlatform, startSeed, type Seed } from './moves.ts';
import { afterStage, duringStage, pictureOf, STAGES, START, type StageName } from './picture.ts';
import { openPlace, type Place } from './place.ts';
import {
  AWAITED_ACTION,
  MACHINES,
  objectIn,
  objectsOf,
  type MachineName,
  type MachineObjects,
  type PlannedMachine,
} from './plan.ts';
import { orFailed, printed, show, untilWorkflow, type Watched } from './watch.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const DISK_BYTES = 4 * 1024 ** 3;
const NODE_DISK_BYTES = 256 * 1024 ** 2;
const MEMORY_MEBIBYTES: Readonly<Record<string, number>> = { router: 1024, platform: 2048 };
const NODE_MEMORY_MEBIBYTES = 2048;
const SECOND_CARD = '08:00:27:9e:f5:51';

interface Rack {
  readonly view: DemoView;
  readonly seconds: () => number;
  readonly place: Place;
  readonly machines: ReadonlyMap<MachineName, Watched & MachineObjects & { readonly plan: PlannedMachine }>;
  readonly cleanup: AsyncDisposableStack;
}

/** What the stages hand on. */
interface Progress {
  seed: Seed;
  home: Home;
  readonly shells: { router?: GuestShell; platform?: GuestShell };
  /** The objects as they were before the loss. */
  saved: Objects;
  readonly problems: string[];
  /** Resolves when the system of the first node has started. */
  firstNodeBooted: Promise<void>;
  /** Ends the following of timelines when the stack leaves its place. */
  following: AbortController;
}

/** Returns what does not hold at the end: nothing, when all is well. @throws Error when a stage cannot end. */
export async function runGenesis(view: DemoView): Promise<readonly string[]> {
  if (process.getuid?.() !== 0)
    throw new Error('Genesis needs root for its own network and disk images: run it with sudo');
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  await using cleanup = new AsyncDisposableStack();
  view.text('Preparing (the first time takes some minutes)\n');
  const place = await openPlace((what, text) => view.prepared(what, text), cleanup);
  const rack: Rack = { view, seconds, place, machines: await createMachines(place, cleanup), cleanup };
  let state = START;
  let progress: Progress | undefined;
  for (const stage of STAGES) {
    state = duringStage(state, stage);
    view.heading(stage.title);
    for (const line of pictureOf(state)) view.text(line);
    view.text('');
    if (progress === undefined) progress = await startStack(rack);
    else await PERFORM[stage.name](rack, progress);
    state = afterStage(state, stage);
  }
  for (const line of ['', ...pictureOf(state)]) view.text(line);
  return progress === undefined ? [] : checked(rack, progress);
}

async function createMachines(place: Place, cleanup: AsyncDisposableStack): Promise<Rack['machines']> {
  const machines = await Promise.all(
    MACHINES.map(async (plan) => {
      const read = (file: string): Promise<string> => readFile(join(EXAMPLES, plan.example, file), 'utf8');
      const texts = { hardware: await read('hardware.yaml'), workflow: await read('workflow.yaml') };
      const machine = await createMachine({
        ...plan,
        directory: place.directory,
        port: await place.addPort(plan.network),
        diskBytes: plan.name.startsWith('node') ? NODE_DISK_BYTES : DISK_BYTES,
        memoryMebibytes: MEMORY_MEBIBYTES[plan.name] ?? NODE_MEMORY_MEBIBYTES,
        ...(plan.name === 'router'
          ? { moreCards: [{ mac: SECOND_CARD, port: await place.addPort('provisioning') }] }
          : {}),
      });
      cleanup.defer(() => machine.powerOff());
      return [plan.name, { machine, plan, ...objectsOf(plan, texts, place.checksums) }] as const;
    }),
  );
  return new Map(machines);
}

async function startStack({ place, machines, cleanup }: Rack): Promise<Progress> {
  const seed = await startSeed(place, join(place.directory, 'seed'));
  cleanup.defer(() => seed.server.stop());
  const templates = [
    join(EXAMPLES, 'vyos/template.yaml'),
    join(EXAMPLES, 'talos/template.yaml'),
    join(import.meta.dirname, 'node-template.yaml'),
  ];
  for (const path of templates) await createObject(seed.server, objectIn(path, await readFile(path, 'utf8')));
  for (const { hardware } of machines.values()) await createObject(seed.server, hardware);
  const following = new AbortController();
  cleanup.defer(() => following.abort());
  return {
    seed,
    home: seed.home,
    shells: {},
    saved: new Map(),
    problems: [],
    firstNodeBooted: Promise.resolve(),
    following,
  };
}

const PERFORM: Readonly<Record<StageName, (rack: Rack, progress: Progress) => Promise<void>>> = {
  seed: async () => undefined,
  router: async (rack, progress) => {
    progress.shells.router = await installSystem(rack, progress, { name: 'router' });
    await progress.shells.router.run('systemctl is-active tinkerbell');
    rack.view.step('router', rack.seconds(), { what: 'relay', text: 'it relays DHCP' });
  },
  platform: async (rack, progress) => {
    progress.shells.platform = await installSystem(rack, progress, { name: 'platform' });
  },
  wait: firstNodeWaits,
  move: async (rack, progress) => {
    const before = await progress.home.objects();
    await move(rack, progress);
    progress.problems.push(...changedByMigration(before, await progress.home.objects()));
    rack.view.step('node-1', rack.seconds(), { what: 'workflow', text: 'continues' });
  },
  nodes: installNodes,
  loss: losePlatform,
  rebuild: async (rack, progress) => {
    await progress.home.tink('reprovision', 'platform', '--name', 'platform-again');
    progress.shells.platform = await installSystem(rack, progress, {
      name: 'platform',
      workflow: 'platform-again',
    });
  },
  return: async (rack, progress) => {
    const before = await progress.home.objects();
    await move(rack, progress);
    progress.problems.push(...changedByMigration(before, await progress.home.objects()));
  },
};

function machineOf({ machines }: Rack, name: MachineName) {
  const found = machines.get(name);
  if (found === undefined) throw new Error(`no machine ${name}`);
  return found;
}

/** Resolves when the installed system has logged root in, and the Workflow has succeeded. */
async function installSystem(
  rack: Rack,
  { home, following }: Progress,
  { name, workflow: existing }: { readonly name: MachineName; readonly workflow?: string },
): Promise<GuestShell> {
  const one = machineOf(rack, name);
  if (existing === undefined) await createObject(home, one.workflow);
  show(one, home, { ...rack, signal: following.signal });
  const ready = printed(one.machine, /login: root \(automatic login\)/);
  await one.machine.powerOn();
  rack.view.step(name, rack.seconds(), {
    what: 'power on',
    text: `${one.machine.mac}, ${one.plan.firmware}`,
  });
  const ended = untilWorkflow(
    home,
    existing ?? one.workflow.metadata.name,
    ({ state }) => state === 'SUCCESS',
  );
  await orFailed(one.machine, 'install', Promise.all([ended, ready]));
  rack.view.step(name, rack.seconds(), { what: 'installed', text: one.plan.becomes });
  return openGuestShell(one.machine);
}

/** Powers a node on. Resolves with what resolves when the system on its disk has started. */
async function startNode(rack: Rack, { home, following }: Progress, name: MachineName) {
  const one = machineOf(rack, name);
  show(one, home, { ...rack, signal: following.signal });
  const booted = printed(one.machine, /lab: loader in .*\/EFI\/BOOT/);
  await one.machine.powerOn();
  rack.view.step(name, rack.seconds(), {
    what: 'power on',
    text: `${one.machine.mac}, ${one.plan.firmware}`,
  });
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
  await orFailed(machine, 'wait', waits);
  rack.view.step('node-1', rack.seconds(), { what: 'waits', text: `before "${AWAITED_ACTION}"` });
}

async function move(rack: Rack, progress: Progress): Promise<void> {
  const { router, platform } = progress.shells;
  if (router === undefined || platform === undefined)
    throw new Error('the stack moves when both machines run');
  progress.following.abort();
  progress.following = new AbortController();
  const { following } = progress;
  rack.cleanup.defer(() => following.abort());
  const { home, summary } = await moveToPlatform(rack.place, progress.seed, { router, platform });
  progress.home = home;
  for (const text of summary) rack.view.text(`    ${text}`);
  rack.view.step('platform', rack.seconds(), { what: 'server', text: `ready at ${home.url}` });
}

async function installNodes(rack: Rack, progress: Progress): Promise<void> {
  const { home, following } = progress;
  const first = machineOf(rack, 'node-1');
  show(first, home, { ...rack, signal: following.signal });
  await home.tink('workflow', 'resume', first.workflow.metadata.name);
  await orFailed(
    first.machine,
    'install',
    Promise.all([progress.firstNodeBooted, untilInstalled(home, first.workflow.metadata.name)]),
  );
  await nodeInstalled(rack, 'node-1');
  const others = ['node-2', 'node-3'] as const;
  await Promise.all(
    others.map(async (name) => {
      const { workflow } = machineOf(rack, name);
      await createObject(home, workflow);
      const { machine, booted } = await startNode(rack, progress, name);
      await orFailed(machine, 'install', Promise.all([booted, untilInstalled(home, workflow.metadata.name)]));
      await nodeInstalled(rack, name);
    }),
  );
}

function untilInstalled(home: Home, name: string): Promise<void> {
  return untilWorkflow(home, name, ({ state }) => state === 'SUCCESS');
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
  progress.following = new AbortController();
  const { following } = progress;
  cleanup.defer(() => following.abort());
  await home.tink('restore', backup);
  progress.problems.push(...changedByRestoring(progress.saved, await home.objects()));
  view.step('seed', seconds(), { what: 'restored', text: `${progress.saved.size} objects` });
}

/** Of every Workflow whose timeline the stack has. */
async function actionsNotOnce(home: Home, only?: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [key, object] of await home.objects()) {
    const [collection, name = ''] = key.split('/');
    if (collection !== 'workflows' || (only !== undefined && name !== only)) continue;
    const { state, actions } = progressOf(object);
    if (state !== 'SUCCESS') problems.push(`${name} is ${state}`);
    problems.push(
      ...notOnce(
        name,
        actions.map((action) => action.name),
        await home.timeline(name),
      ),
    );
  }
  return problems;
}

async function checked(rack: Rack, progress: Progress): Promise<readonly string[]> {
  const { home, problems, saved } = progress;
  const objects = await home.objects();
  const again = await actionsNotOnce(home, 'platform-again');
  const kept = new Map([...objects].filter(([key]) => key !== 'workflows/platform-again'));
  const lost = changedByRestoring(saved, kept);
  const workflows = [...objects].filter(([key]) => key.startsWith('workflows/'));
  const expected = rack.machines.size + 1;
  const count = workflows.length === expected ? [] : [`${workflows.length} Workflows instead of ${expected}`];
  const unfinished = workflows
    .filter(([, object]) => progressOf(object).state !== 'SUCCESS')
    .map(([key]) => `${key} has not succeeded`);
  for (const { machine } of rack.machines.values()) await machine.powerOff();
  const disks: string[] = [];
  for (const { machine, plan } of rack.machines.values())
    disks.push(...(await diskProblems(plan, machine, rack.place.directory)));
  return [...problems, ...again, ...lost, ...count, ...unfinished, ...disks];
}
