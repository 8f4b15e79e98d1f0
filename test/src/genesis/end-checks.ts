/** What must hold at the end, read from the stack and from the disks. */
import { changedByRestoring, notOnce, progressOf } from './checks.ts';
import { diskProblems } from './disks.ts';
import type { Home } from './home.ts';
import type { Progress } from './progress.ts';
import type { Rack } from './rack.ts';

/** Returns what does not hold. The machines are off afterwards. */
export async function endProblems(rack: Rack, progress: Progress): Promise<readonly string[]> {
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
  for (const [name, { machine }] of rack.machines)
    disks.push(...(await diskProblems(name, machine, rack.place.directory)));
  return [...problems, ...again, ...lost, ...count, ...unfinished, ...disks];
}

/** Of every Workflow whose timeline the stack has, or of the given one. */
export async function actionsNotOnce(home: Home, only?: string): Promise<readonly string[]> {
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
