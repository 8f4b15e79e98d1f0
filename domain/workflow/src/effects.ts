/** What the controller must do about a workflow, derived from what it sees; nothing is queued, so nothing can be lost. */
import type { Workflow } from '@tinkerbell/resources';
import { workflowStateOf } from './state.ts';

export type Effect =
  | { readonly kind: 'render' }
  /** Set allowPXE of all network interfaces of the Hardware. */
  | { readonly kind: 'allow-netboot'; readonly allow: boolean }
  | { readonly kind: 'refuse-boot-mode'; readonly bootMode: string }
  | { readonly kind: 'finish-preparation' }
  | { readonly kind: 'finish-post' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'wake'; readonly atMs: number };

/** In order; the first that changes the workflow makes the controller look again. */
export function effectsFor(workflow: Workflow, nowMs: number): readonly Effect[] {
  const status = workflow.status ?? {};
  switch (workflowStateOf(status.state)) {
    case '':
      return workflow.spec?.disabled === true ? [] : [{ kind: 'render' }];
    case 'PREPARING':
      return preparation(workflow);
    case 'RUNNING':
      return deadline(status.globalExecutionStop, nowMs);
    case 'POST':
      return [...netboot(workflow, false), { kind: 'finish-post' }];
    default:
      return [];
  }
}

export function needsPreparation(workflow: Workflow): boolean {
  const options = workflow.spec?.bootOptions;
  return options?.toggleAllowNetboot === true || (options?.bootMode ?? '') !== '';
}

function preparation(workflow: Workflow): readonly Effect[] {
  const bootMode = workflow.spec?.bootOptions?.bootMode ?? '';
  if (bootMode !== '') return [{ kind: 'refuse-boot-mode', bootMode }];
  return [...netboot(workflow, true), { kind: 'finish-preparation' }];
}

function netboot(workflow: Workflow, allow: boolean): readonly Effect[] {
  return workflow.spec?.bootOptions?.toggleAllowNetboot === true ? [{ kind: 'allow-netboot', allow }] : [];
}

function deadline(stop: string | undefined, nowMs: number): readonly Effect[] {
  if (stop === undefined) return [];
  const atMs = Date.parse(stop);
  return atMs <= nowMs ? [{ kind: 'expire' }] : [{ kind: 'wake', atMs }];
}
