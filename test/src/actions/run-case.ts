/** Runs a case: from power-on to the end of the workflow, then the disks are checked. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMachine, createObject, type Machine } from '@tinkerbell/sandbox';
import { limitOf, timelineOf, tink } from '../bare-machine.ts';
import { agentReached } from '../firmware/reach-agent.ts';
import type { ActionCase, StoredAction } from './action-case.ts';
import type { Site } from './site/open-site.ts';

const run = promisify(execFile);
const POLL_MS = 500;
const FINAL = ['SUCCESS', 'FAILED', 'TIMEOUT'];

interface StoredWorkflow {
  readonly status?: {
    readonly state?: string;
    readonly tasks?: readonly { readonly actions: readonly StoredAction[] }[];
  };
}

/** @throws Error with the events, the output and the end of the console. */
export async function runCase(
  one: ActionCase,
  site: Site,
  onStandstill: (report: string) => void,
): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const directory = join(site.directory, one.name);
  await mkdir(join(directory, 'work'), { recursive: true });
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const objects = await one.objects(site);
  for (const object of [objects.hardware, objects.template, objects.workflow])
    await createObject(site.server, object);
  const port = one.port === undefined ? await site.network.addPort() : await one.port(site, cleanup);
  const machine = await createMachine({
    ...one,
    directory,
    port,
    ...(one.isIso === true ? { cdromPath: await fetchImage(one, site, directory) } : {}),
  });
  cleanup.defer(() => machine.powerOff());
  await one.fillDisks?.(machine, site);
  const printed = linesInOrder(machine, one.prints ?? []);
  await machine.powerOn();
  await agentReached({ server: site.server, hardware: objects.hardware, machine, onStandstill });

  const ending = limitOf(machine.failed, () => machine.serial.tail(40).join('\n'));
  const name = objects.workflow.metadata.name;
  const state = await Promise.race([finalState(site, name), ending]);
  const [output, events] = [
    await tink(site.server, 'logs', name),
    await tink(site.server, 'workflow', 'events', name),
  ];
  const report = [events, output, ...machine.serial.tail(40), ...site.server.tail().slice(-10)].join('\n');
  assert.equal(state, one.state ?? 'SUCCESS', report);
  if (one.isReset === true) await machine.reset();
  await Promise.race([printed, ending]);
  await machine.powerOff();
  const actions = ((await stored(site, name)).status?.tasks ?? []).flatMap((task) => task.actions);
  const timeline = await timelineOf(site.server, objects);
  await one.check({ site, machine, output, actions, workDirectory: join(directory, 'work'), timeline });
}

async function stored(site: Site, name: string): Promise<StoredWorkflow> {
  return JSON.parse(await tink(site.server, 'get', 'workflow', name, '-o', 'json')) as StoredWorkflow;
}

async function finalState(site: Site, name: string): Promise<string> {
  for (;;) {
    const state = (await stored(site, name)).status?.state ?? '';
    if (FINAL.includes(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Resolves when the machine has printed them all. */
function linesInOrder(machine: Machine, wanted: readonly RegExp[]): Promise<void> {
  const waiting = [...wanted];
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.length === 0) resolve();
  machine.serial.onLine((line) => {
    if (waiting[0]?.test(line) === true) waiting.shift();
    if (waiting.length === 0) resolve();
  });
  return promise;
}

/** Works like a BMC that downloads before it boots. */
async function fetchImage({ mac }: ActionCase, { server }: Site, directory: string): Promise<string> {
  const path = join(directory, 'virtual-media.iso');
  const url = `${server.url}/iso/${mac.replaceAll(':', '-')}/hook.iso`;
  await run('curl', ['--silent', '--show-error', '--fail-with-body', '--output', path, url]);
  return path;
}
