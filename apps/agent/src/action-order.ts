/** Everything about an action that its process needs. */
import type { ActionResponse } from '@tinkerbell/api/agent';
import type { ActionOrder } from './action-messages.ts';
import { environmentOf } from './environment-of.ts';
import { executionOf } from './execution.ts';
import type { FollowUp } from './kept-files.ts';
import { runtimeOf } from './installed-runtime.ts';
import type { Settings } from './settings.ts';

export function orderFor(action: ActionResponse, settings: Settings): ActionOrder {
  const parts = {
    image: action.image,
    command: action.command,
    environment: environmentOf(action),
    volumes: action.volumes,
    pidNamespace: action.namespaces?.pid || action.pid,
    networkNamespace: action.namespaces?.network ?? '',
  };
  return orderWith(parts, settings);
}

/** The order for an image that waitdaemon starts. */
export function orderOfFollowUp(
  followUp: Omit<Extract<FollowUp, { readonly kind: 'action' }>, 'kind' | 'waitMs'>,
  settings: Settings,
): ActionOrder {
  const { volumes = [], pidNamespace = '', networkNamespace = '', timeoutSeconds: _, ...rest } = followUp;
  return orderWith({ ...rest, volumes, pidNamespace, networkNamespace }, settings);
}

function orderWith(
  parts: Omit<ActionOrder, 'execution' | 'containers'>,
  { containers }: Settings,
): ActionOrder {
  const { builtInActions } = containers;
  return {
    ...parts,
    containers,
    execution: executionOf(parts, { builtInActions, runtime: runtimeOf(containers) }),
  };
}
