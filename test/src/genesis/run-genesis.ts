/** Genesis from an empty rack to the rebuilt platform, one stage after the other. */
import type { DemoView } from '@tinkerbell/sandbox';
import { aborted } from '@tinkerbell/platform-contract';
import { endProblems } from './end-checks.ts';
import { afterStage, duringStage, pictureOf, STAGES, START, type Stage } from './picture.ts';
import { openPlace } from './place.ts';
import type { Progress } from './progress.ts';
import { createMachines, type Rack } from './rack.ts';
import { PERFORM, startStack } from './stages.ts';
import { reasonOf } from './watch.ts';

const CHECKS = { name: 'checks', title: 'What must hold at the end' };

/**
 * Returns what does not hold at the end: nothing, when all is well. Its machines and servers have ended then.
 *
 * @throws Error that names the stage when it cannot end, or when the signal aborts.
 */
export async function runGenesis(view: DemoView, signal: AbortSignal): Promise<readonly string[]> {
  if (process.getuid?.() !== 0)
    throw new Error('Genesis needs root for its own network and disk images: run it with sudo');
  await using cleanup = new AsyncDisposableStack();
  const stopped = aborted(signal).then(() => {
    throw new Error('stopped');
  });
  view.text('Preparing (the first time takes some minutes)\n');
  const rack = await Promise.race([stopped, openRack(view, cleanup)]);
  let state = START;
  let progress: Progress | undefined;
  for (const stage of STAGES) {
    state = duringStage(state, stage);
    view.heading(stage.title);
    for (const line of pictureOf(state)) view.text(line);
    view.text('');
    progress = await inStage(stage, Promise.race([stopped, perform(stage, rack, progress)]));
    state = afterStage(state, stage);
  }
  for (const line of ['', ...pictureOf(state)]) view.text(line);
  if (progress === undefined) return [];
  // Awaited here, because leaving this function ends the machines.
  return await inStage(CHECKS, Promise.race([stopped, endProblems(rack, progress)]));
}

async function openRack(view: DemoView, cleanup: AsyncDisposableStack): Promise<Rack> {
  const place = await openPlace((what, text) => view.prepared(what, text), cleanup);
  const machines = await createMachines(place, cleanup);
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  return { view, seconds, place, machines, cleanup };
}

async function perform(stage: Stage, rack: Rack, progress: Progress | undefined): Promise<Progress> {
  if (stage.name === 'seed' || progress === undefined) return startStack(rack);
  await PERFORM[stage.name](rack, progress);
  return progress;
}

async function inStage<Value>(
  { name, title }: Pick<Stage, 'title'> & { readonly name: string },
  done: Promise<Value>,
): Promise<Value> {
  return done.catch((cause: unknown) => {
    throw new Error(`stage ${name} (${title}): ${reasonOf(cause)}`, { cause });
  });
}
