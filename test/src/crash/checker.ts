import type { ActionName, AgentEntry, FinalAction, Journals } from './journals.ts';

/** The broken promises, each by its name in docs/reference/guarantees.md. */
export interface Violation {
  readonly promise: 'G1' | 'G2' | 'G4' | 'G6' | 'G8';
  readonly message: string;
}

/** Compares what was acknowledged and done with what the server has stored. */
export function violationsIn(journals: Journals): readonly Violation[] {
  return [
    ...lostCreations(journals),
    ...lostReports(journals),
    ...forgottenSuccesses(journals),
    ...unrecordedStarts(journals),
    ...wrongOrder(journals),
    ...stuckWorkflows(journals),
  ];
}

function lostCreations({ created, workflows }: Journals): Violation[] {
  return [...created]
    .filter((name) => !workflows.has(name))
    .map((name) => ({ promise: 'G1', message: `${name} was acknowledged and is missing` }));
}

/** The first acknowledged final report of an action decides its state for ever. */
function lostReports({ agents, workflows }: Journals): Violation[] {
  const seen = new Set<string>();
  return agents.flatMap((entry): Violation[] => {
    if (entry.event !== 'report-acknowledged' || entry.state === 'RUNNING') return [];
    const key = keyOf(entry);
    if (seen.has(key)) return [];
    seen.add(key);
    const found = actionOf(workflows, entry);
    if (found?.state === entry.state) return [];
    const has = found?.state ?? 'nothing';
    return [{ promise: 'G1', message: `${key}: ${entry.state} was acknowledged, the server has ${has}` }];
  });
}

/**
 * An action whose success was acknowledged is never assigned again. Otherwise the server would have lost it
 * in between.
 */
function forgottenSuccesses({ agents }: Journals): Violation[] {
  const acknowledged = new Set<string>();
  return agents.flatMap((entry): Violation[] => {
    const key = keyOf(entry);
    if (entry.event === 'report-acknowledged' && entry.state === 'SUCCESS') acknowledged.add(key);
    if (entry.event !== 'started' || !acknowledged.has(key)) return [];
    return [{ promise: 'G1', message: `${key} was started again after its success was acknowledged` }];
  });
}

function unrecordedStarts({ agents, workflows }: Journals): Violation[] {
  const starts = new Map<string, { readonly entry: AgentEntry; count: number }>();
  for (const entry of agents.filter(({ event }) => event === 'started')) {
    const known = starts.get(keyOf(entry)) ?? { entry, count: 0 };
    known.count += 1;
    starts.set(keyOf(entry), known);
  }
  return [...starts].flatMap(([key, { entry, count }]): Violation[] => {
    const attempt = actionOf(workflows, entry)?.attempt ?? 0;
    if (count <= attempt) return [];
    return [{ promise: 'G2', message: `${key} was started ${count} times, the server knows of ${attempt}` }];
  });
}

/**
 * An action starts after the success of the previous one was sent, because the server cannot have known it
 * sooner.
 */
function wrongOrder({ agents, workflows }: Journals): Violation[] {
  const succeeded = new Set<string>();
  return agents.flatMap((entry): Violation[] => {
    if (entry.event === 'report-sent' && entry.state === 'SUCCESS') succeeded.add(keyOf(entry));
    if (entry.event !== 'started') return [];
    const actions = workflows.get(entry.workflow)?.actions ?? [];
    const before = actions[actions.findIndex(({ name }) => name === entry.action) - 1];
    if (before === undefined || succeeded.has(keyOf({ ...entry, action: before.name }))) return [];
    return [{ promise: 'G6', message: `${keyOf(entry)} was started before ${before.name} had succeeded` }];
  });
}

function stuckWorkflows({ workflows }: Journals): Violation[] {
  return [...workflows].flatMap(([name, { state, actions }]): Violation[] => {
    if (!['SUCCESS', 'FAILED', 'TIMEOUT'].includes(state))
      return [{ promise: 'G8', message: `${name} is still ${state || 'not rendered'}` }];
    const haveAllSucceeded = actions.every((action) => action.state === 'SUCCESS');
    if (haveAllSucceeded === (state === 'SUCCESS')) return [];
    const states = actions.map((action) => action.state).join(', ');
    return [{ promise: 'G4', message: `${name} is ${state}, its actions ${states}` }];
  });
}

function keyOf({ workflow, action }: ActionName): string {
  return `${workflow} / ${action}`;
}

function actionOf(
  workflows: Journals['workflows'],
  { workflow, action }: ActionName,
): FinalAction | undefined {
  return workflows.get(workflow)?.actions.find(({ name }) => name === action);
}
