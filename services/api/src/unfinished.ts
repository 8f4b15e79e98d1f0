/**
 * Workflows of a machine that have not ended. A second one is allowed, as upstream: an agent runs them one after the
 * other. Both write one disk, which is seldom meant, so that the API warns. The same for a Hardware deleted under one.
 */
import { claimsOf, type Hardware, type Problem, type Workflow } from '@tinkerbell/resources';
import { machineOfAgent, type View } from '@tinkerbell/store-contract';
import { isTerminal, shownState } from '@tinkerbell/workflow';

/** More workflows are counted in a warning, not named. */
const NAMED_MAX = 3;

/** One warning when other enabled Workflows of the same machine have not ended. `workers` are the agents of its tasks. */
export function rivalWarnings(
  view: View,
  workflow: Workflow,
  workers: readonly string[],
): readonly Problem[] {
  const { namespace, name } = workflow.metadata;
  const { hardwareRef = '', hardwareMap = {} } = workflow.spec ?? {};
  const agents = [...new Set([...workers, ...Object.values(hardwareMap).map(String)])];
  const named = view.hardwareNamed(namespace, hardwareRef);
  const machines = [named, ...agents.map((agent) => machineOfAgent(view, agent))];
  const found = [
    ...machines.flatMap((one) => (one === undefined ? [] : workflowsOn(view, one))),
    ...(hardwareRef === '' ? [] : view.workflowsByHardware(namespace, hardwareRef)),
    ...agents.flatMap((agent) => view.workflowsByAgent(agent)),
  ];
  const rivals = [...new Set(found)]
    .filter(isUnfinished)
    .filter(({ metadata: other }) => other.namespace !== namespace || other.name !== name);
  if (rivals.length === 0) return [];
  const { text, first } = inWords(rivals, namespace);
  const out =
    first === undefined
      ? 'create this one again when they have ended, or with "spec.disabled: true" until then'
      : `end the other with "tink workflow cancel ${first}", or keep this one back with "spec.disabled: true"`;
  const message = `the machine has ${text}: both will write its disk, one after the other; ${out}`;
  const at = hardwareRef === '' ? 'hardwareMap' : 'hardwareRef';
  return [{ reason: 'invalid', path: ['spec', at], value: hardwareRef || agents.join(', '), message }];
}

/** Of the Hardware, which is about to be deleted. */
export function unfinishedOn(view: View, hardware: Hardware): readonly Workflow[] {
  return workflowsOn(view, hardware).filter(isUnfinished);
}

/** What deleting a Hardware under these Workflows means, and the way out. Empty without any. */
export function deletionWarnings({ metadata }: Hardware, workflows: readonly Workflow[]): readonly string[] {
  if (workflows.length === 0) return [];
  const { text, first } = inWords(workflows, metadata.namespace);
  const cancel = first === undefined ? 'cancel them' : `cancel with "tink workflow cancel ${first}"`;
  return [
    `hardware ${metadata.name} is deleted under ${text}: its machine no longer gets an address, boot files or metadata, and what its agent is running goes on; ${cancel}, or create the Hardware again`,
  ];
}

function workflowsOn(view: View, hardware: Hardware): readonly Workflow[] {
  const { namespace, name } = hardware.metadata;
  const agents = claimsOf(hardware).flatMap(({ kind, value }) => (kind === 'address' ? [] : [value]));
  const byAgent = agents.flatMap((agent) => view.workflowsByAgent(agent));
  return [...new Set([...view.workflowsByHardware(namespace, name), ...byAgent])];
}

function isUnfinished({ spec, status, metadata }: Workflow): boolean {
  return spec?.disabled !== true && metadata.deletionTimestamp === undefined && !isTerminal(status?.state);
}

/** Names in other namespaces are not for everybody: `first` is the first that may be named. */
function inWords(workflows: readonly Workflow[], namespace: string) {
  const own = workflows.filter(({ metadata }) => metadata.namespace === namespace);
  const names = own.slice(0, NAMED_MAX).map((one) => `${one.metadata.name} (${stateOf(one)})`);
  const others = workflows.length - names.length;
  const more = names.length === 0 ? `${others} of another namespace` : `${others} more`;
  const listed = [...names, ...(others === 0 ? [] : [more])].join(', ');
  const text = `${workflows.length === 1 ? 'a Workflow that has' : 'Workflows that have'} not ended: ${listed}`;
  return { text, first: own[0]?.metadata.name };
}

function stateOf({ status }: Workflow): string {
  return status?.state === undefined ? 'not rendered yet' : shownState(status);
}
