/** Compares a run with the one before it on the same machine, action by action. Pure. */
import type { Workflow, WorkflowAction } from '@tinkerbell/resources';
import { actionsOf } from './workflow-facts.ts';

export interface ComparedAction {
  readonly words: string;
  /** Absent: that run had no such action. */
  readonly now?: RanAction;
  readonly before?: RanAction;
  /** Names of fields that differ: `image`, `environment.IMG_URL`. */
  readonly changes: readonly string[];
}

export interface RanAction {
  readonly state: string;
  /** Undefined: it has not ended. */
  readonly tookMs: number | undefined;
}

/** The newest older run of the template on the machine, among `others`. */
export function runBefore(workflow: Workflow, others: readonly Workflow[]): Workflow | undefined {
  const { hardwareRef, templateRef } = workflow.spec ?? {};
  const isEarlier = (one: Workflow): boolean =>
    one.metadata.name !== workflow.metadata.name &&
    one.spec?.hardwareRef === hardwareRef &&
    one.spec?.templateRef === templateRef &&
    createdAt(one) <= createdAt(workflow);
  return others.filter(isEarlier).toSorted((one, other) => createdAt(other).localeCompare(createdAt(one)))[0];
}

export function comparedRuns(now: Workflow, before: Workflow): readonly ComparedAction[] {
  const [mine, theirs] = [actionsByPlace(now), actionsByPlace(before)];
  return [...new Set([...mine.keys(), ...theirs.keys()])].map((place) => {
    const [one, other] = [mine.get(place), theirs.get(place)];
    return {
      words: (one ?? other)?.words ?? '',
      ...(one === undefined ? {} : { now: ranOf(one.action) }),
      ...(other === undefined ? {} : { before: ranOf(other.action) }),
      changes: one === undefined || other === undefined ? [] : changesBetween(other.action, one.action),
    };
  });
}

function actionsByPlace(workflow: Workflow) {
  return new Map(actionsOf(workflow).map((one) => [`${one.task.name}/${one.action.name}`, one]));
}

function ranOf({ state = 'PENDING', executionStart = '', executionStop = '' }: WorkflowAction): RanAction {
  const isKnown = executionStart !== '' && executionStop !== '';
  return { state, tookMs: isKnown ? Date.parse(executionStop) - Date.parse(executionStart) : undefined };
}

function changesBetween(before: WorkflowAction, after: WorkflowAction): readonly string[] {
  const fields = ['image', 'command', 'volumes', 'timeout', 'pid'] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const [old, now] = [before.environment ?? {}, after.environment ?? {}];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const variables = [...names].filter((name) => old[name] !== now[name]).map((name) => `environment.${name}`);
  return [...changed, ...variables];
}

function createdAt({ metadata }: Workflow): string {
  return metadata.creationTimestamp ?? '';
}
