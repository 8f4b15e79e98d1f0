/** Operations on workflows: the request and the command of each. Pure, except for the request. */
import type { Workflow } from '@tinkerbell/resources';
import { pathOf, workflows } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import type { PlacedAction } from './workflow-facts.ts';

export interface Wish {
  readonly verb: 'pause' | 'resume' | 'cancel' | 'retry' | 'skip' | 'breakpoint';
  /** The action that it is about. */
  readonly at?: PlacedAction;
  /** Retry from the start. */
  readonly isFromStart?: boolean;
  /** A breakpoint is removed. */
  readonly isRemoval?: boolean;
}

/** Rejects with an ApiFailure. */
export async function operate({ metadata }: Workflow, wish: Wish, why: string): Promise<void> {
  const { namespace, name } = metadata;
  const body = { ...bodyOf(wish), ...(why === '' ? {} : { why }) };
  await sendForJson(`${pathOf(workflows, namespace, name)}/${wish.verb}`, { method: 'POST', body });
}

export function bodyOf({ verb, at, isFromStart = false, isRemoval = false }: Wish): object {
  const place = at === undefined ? {} : { action: at.action.id, task: at.task.id };
  if (verb === 'retry') {
    if (at !== undefined) return { from: place };
    return { from: isFromStart ? 'start' : 'failed' };
  }
  return verb === 'breakpoint' ? { ...place, set: !isRemoval } : place;
}

export function commandOf({ metadata }: Workflow, wish: Wish, why: string): string {
  const { verb, at, isFromStart = false, isRemoval = false } = wish;
  const words = ['tink workflow', verb, shellWord(metadata.name)];
  if (verb === 'retry') {
    if (at !== undefined) words.push('--from', shellWord(at.words));
    else if (isFromStart) words.push('--from start');
  } else if (at !== undefined) words.push(shellWord(at.words));
  if (isRemoval) words.push('--remove');
  if (why !== '') words.push('--why', shellWord(why));
  return `${words.join(' ')}${inNamespace(metadata.namespace)}`;
}

const explanations: Readonly<Record<Wish['verb'], string>> = {
  pause: 'No further action is assigned. A running action may finish. Paused time does not count.',
  resume: 'The workflow continues where it waits.',
  cancel: 'The workflow ends as cancelled, and its running action is stopped.',
  retry: 'The workflow runs again on the same machine.',
  skip: 'The action counts as done without running.',
  breakpoint: 'The workflow pauses before this action.',
};

export function explanationOf({ verb, isRemoval = false }: Wish): string {
  return isRemoval ? 'The workflow no longer pauses before this action.' : explanations[verb];
}

export function titleOf({ verb, at, isFromStart = false, isRemoval = false }: Wish): string {
  if (isRemoval) return `Remove the breakpoint before ${at?.words}`;
  if (verb === 'breakpoint') return `Set a breakpoint before ${at?.words}`;
  if (verb === 'retry' && at !== undefined) return `Retry from ${at.words}`;
  if (isFromStart) return 'Retry from the start';
  const word = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  return at === undefined ? word : `${word} ${at.words}`;
}
