/**
 * The messages between the agent and the process of an action. Both are this program, so a message is what its sender says it is.
 */
import type { ActionResult, Progress } from '@tinkerbell/action-kit';
import type { ContainerOrder } from '@tinkerbell/container-runtime';
import type { LogFields } from '@tinkerbell/platform-contract';

import type { ContainerSettings } from './container-settings.ts';
import type { Execution } from './execution.ts';

export interface ActionOrder extends ContainerOrder {
  readonly execution: Execution;
  readonly containers: ContainerSettings;
}

export type RunnerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly message: string;
      readonly fields: LogFields;
    }
  | { readonly kind: 'result'; readonly result: ActionResult };

export function orderIn(message: unknown): ActionOrder {
  return message as ActionOrder;
}

export function runnerMessageIn(message: unknown): RunnerMessage {
  return message as RunnerMessage;
}
