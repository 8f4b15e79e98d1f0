/**
 * Finds unfinished Workflows of a machine. A second one is allowed, like upstream: an agent runs them one after the other.
 * Both write the same disk, which is seldom intended, so the API warns. It also warns when a Hardware with one is deleted.
 */
import { claimsOf, type Hardware, type Problem, type Workflow } from '@tinkerbell/resources';
import { machineOfAgent, type View } from '@tinkerbell/store-contract';
import { isTerminal, shownState } from '@tinkerbell/workflow';

/** Limit of workflow names in a warning. The rest is counted. */
const NAMED_MAX = 3;

/** Returns a warning if other enabled Workflows of the same machine have not ended. `workers` are the agents of its tasks. */
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
      ? 'create this one again when they have ended, or disable it until then with "spec.disabled: true"'
      : `end the other one with "tink workflow cancel ${first}", or disable this one with "spec.disabled: true"`;
  const message = `the machine has ${text}: both will write its disk, one after the other; ${out}`;
  const at = hardwareRef === '' ? 'hardwareMap' : 'hardwareRef';
  return [{ reason: 'invalid', path: ['spec', at], value: hardwareRef || agents.join(', '), message }];
}

/** Returns the unfinished Workflows of a Hardware that is being deleted. */
export function unfinishedOn(view: View, hardware: Hardware): readonly Workflow[] {
  return workflowsOn(view, hardware).filter(isUnfinished);
}

/** Returns the warning about deleting a Hardware with these Workflows, with advice. Empty without any. */
export function deletionWarnings({ metadata }: Hardware, workflows: readonly Workflow[]): readonly string[] {
  if (workflows.length === 0) return [];
  const { text, first } = inWords(workflows, metadata.namespace);
  const cancel = first === undefined ? 'cancel them' : `cancel with "tink workflow cancel ${first}"`;
  return [
    `hardware ${metadata.name} is deleted while it has ${text}: its machine no longer gets an address, boot files or metadata, but its agent finishes the running action; ${cancel}, or create the Hardware again`,
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

/** Hides names of other namespaces: `first` is the first that may be named. */
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
