/** Sends operator requests for workflows, and prints what changed and what happens next. */
import { printable } from '../output/printable.ts';
import { isDeepStrictEqual } from 'node:util';
import { workflowKind, type Workflow, type WorkflowStatus } from '@tinkerbell/resources';
import { shownState, currentActionOf, isTerminal, type OperatorVerb } from '@tinkerbell/workflow';
import { withCloseNames } from '../client/name-advice.ts';
import type { Session } from '../client/session.ts';
import { named } from '../client/named.ts';

export interface OperateOptions {
  readonly why?: string | undefined;
  readonly json?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface Wish {
  readonly verb: OperatorVerb;
  /** The workflow's name or uid. */
  readonly name: string;
  /** Returns the fields of the body, from the current workflow. */
  readonly fields?: (workflow: Workflow) => object;
  /** The result, printed after the workflow's name: `paused`. */
  readonly done: string;
  readonly options: OperateOptions;
}

/** Throws a TinkFailure with the server's message if it rejects the request. */
export async function operate(
  session: Session,
  { verb, fields, done, options, ...wish }: Wish,
): Promise<void> {
  const { client, terminal } = session;
  const target = await named(session, workflowKind, wish.name);
  const { name } = target;
  const before = await withCloseNames(client, target, () => client.get(target));
  const body = { who: terminal.userName, why: options.why ?? '', ...fields?.(before) };
  const after = await client.operate(target, verb, { body, dryRun: options.dryRun === true });
  if (options.json === true) return terminal.out(`${JSON.stringify(after, undefined, 2)}\n`);
  const isUnchanged = isDeepStrictEqual(before.status, after.status);
  terminal.out(
    [
      `workflow/${name} ${isUnchanged ? `unchanged: ${asItIs[verb] ?? 'it is already so'}` : done}${options.dryRun === true ? ' (dry run)' : ''}`,
      ...changes(before.status ?? {}, after.status ?? {}),
      `next: ${nextOf(name, after.status ?? {}, terminal.clock.nowMs())}`,
    ]
      .map((line) => `${printable(line)}\n`)
      .join(''),
  );
}

const asItIs: Partial<Record<OperatorVerb, string>> = {
  pause: 'it is already paused',
  resume: 'it is not paused',
  cancel: 'it is already cancelled',
};

/** Formats one line for each state that changed and for each field that was edited. */
function changes(before: WorkflowStatus, after: WorkflowStatus): readonly string[] {
  const lines =
    (before.state ?? '') === (after.state ?? '') ? [] : [`  ${stateOf(before)} -> ${stateOf(after)}`];
  const earlier = new Map(actionsOf(before).map(({ action }) => [action.id, action]));
  for (const { task, action } of actionsOf(after)) {
    const was = earlier.get(action.id);
    if (was === undefined) continue;
    for (const field of [
      'state',
      'image',
      'command',
      'environment',
      'volumes',
      'timeout',
      'pid',
      'breakpoint',
    ] as const) {
      if (isDeepStrictEqual(was[field], action[field])) continue;
      lines.push(
        `  ${task.name} / ${action.name ?? action.id}: ${field} ${shown(was[field])} -> ${shown(action[field])}`,
      );
    }
  }
  return lines;
}

function stateOf(status: WorkflowStatus): string {
  return shownState({ ...status, paused: false }) || 'not started';
}

function shown(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function actionsOf(status: WorkflowStatus) {
  return (status.tasks ?? []).flatMap((task) => task.actions.map((action) => ({ task, action })));
}

/** Describes what happens to the workflow next, or how to resume it. */
export function nextOf(name: string, status: WorkflowStatus, nowMs: number): string {
  if (status.paused === true) return `${pausedText(status)}; resume it with "tink workflow resume ${name}"`;
  if (status.state === 'SUCCESS') return 'the workflow has succeeded';
  if (isTerminal(status.state))
    return `the workflow is ${shownState(status)}; run it again with "tink workflow retry ${name}"`;
  if (stateOf(status) === 'not started') return 'the server renders its template';
  if (status.state === 'PREPARING') return 'the machine is prepared to boot, then its actions start';
  return status.state === 'POST' ? 'the cleanup after the last action' : nextAction(status, nowMs);
}

function pausedText(status: WorkflowStatus): string {
  const place = currentActionOf(status);
  if (place?.action.state !== 'RUNNING') return 'no action is assigned';
  return `${place.task.name} / ${place.action.name ?? ''} runs to its end, and no further action is assigned`;
}

function nextAction(status: WorkflowStatus, nowMs: number): string {
  const place = currentActionOf(status);
  if (place === undefined) return 'the workflow ends';
  const { task, action } = place;
  const what = `${task.name} / ${action.name ?? action.id}`;
  if (action.state === 'RUNNING') return `${what} is running on agent ${task.agentID}`;
  const waitMs = action.notBefore === undefined ? 0 : Date.parse(action.notBefore) - nowMs;
  const wait = waitMs > 0 ? `, not before ${Math.ceil(waitMs / 1000)} s from now` : '';
  return `${what}, when agent ${task.agentID} requests it${wait}`;
}

/**
 * Finds an action by `ACTION` or `TASK/ACTION`. Passes on names that the workflow does not have, because the server's error
 * lists the existing ones.
 */
export function actionNamed(workflow: Workflow, word: string): { task?: string; action: string } {
  const places = actionsOf(workflow.status ?? {});
  if (places.some(({ action }) => action.name === word || action.id === word)) return { action: word };
  for (const { task, action } of places) {
    const names = [`${task.name}/${action.name ?? ''}`, `${task.name} / ${action.name ?? ''}`];
    if (names.includes(word)) return { task: task.name, action: action.name ?? '' };
  }
  return { action: word };
}
