/** Builds a tree of the objects that belong to a machine or a workflow. Pure. */
import { shownState } from '@tinkerbell/workflow';
import { matchRuleSets, reportedAttributes } from '@tinkerbell/enrollment';
import {
  isRecord,
  type BmcJob,
  type Hardware,
  type Resource,
  type Workflow,
  type WorkflowRuleSet,
} from '@tinkerbell/resources';
import { printable } from '../output/printable.ts';

export interface TreeNode {
  /** `workflow/m1-debian` */
  readonly name: string;
  /** State and similar; empty if there is nothing to show. */
  readonly note: string;
  readonly children: readonly TreeNode[];
}

/** The objects of all kinds that a tree may show, of all namespaces. */
export interface TreeObjects {
  readonly hardware: readonly Resource[];
  readonly templates: readonly Resource[];
  readonly workflows: readonly Workflow[];
  readonly ruleSets: readonly WorkflowRuleSet[];
  readonly machines: readonly Resource[];
  readonly jobs: readonly BmcJob[];
  readonly tasks: readonly Resource[];
}

export function hardwareTree(hardware: Hardware, all: TreeObjects): TreeNode {
  const { name, namespace } = hardware.metadata;
  const workflows = all.workflows.filter(
    (one) => one.metadata.namespace === namespace && one.spec?.hardwareRef === name,
  );
  return {
    name: `hardware/${name}`,
    note: joined([
      hardware.status?.state,
      hardware.spec?.agentID && `agent ${hardware.spec.agentID}`,
      ...(hardware.spec?.interfaces ?? []).map(({ dhcp }) => dhcp?.mac),
    ]),
    children: [
      ...bmcNodes(hardware, all),
      ...workflows.map((one) => workflowNode(one, all, false)),
      ...ruleSetNodes(hardware, all),
      ...ownerNodes(hardware),
      ...ownedNodes(hardware, all, new Set(['Workflow'])),
    ],
  };
}

/** Builds the tree of a workflow: its hardware, its template, and the progress of its actions. */
export function workflowNode(workflow: Workflow, all: TreeObjects, isRoot = true): TreeNode {
  const { namespace, name } = workflow.metadata;
  const { templateRef, hardwareRef } = workflow.spec ?? {};
  const named = (kind: string, list: readonly Resource[], wanted: string | undefined): TreeNode[] =>
    wanted === undefined || wanted === '' ? [] : [reference(kind, list, { name: wanted, namespace })];
  return {
    name: `workflow/${name}`,
    note: shownState(workflow.status) || 'not begun',
    children: [
      ...(isRoot ? named('hardware', all.hardware, hardwareRef) : []),
      ...named('template', all.templates, templateRef),
      ...(workflow.status?.tasks ?? []).map((task) => ({
        name: `task ${task.name}`,
        note: `agent ${task.agentID}`,
        children: task.actions.map((action) => ({
          name: `action ${action.name ?? action.id ?? ''}`,
          note: joined([action.state, action.message]),
          children: [],
        })),
      })),
      ...ownerNodes(workflow),
      ...ownedNodes(workflow, all, new Set()),
    ],
  };
}

function bmcNodes(hardware: Hardware, all: TreeObjects): readonly TreeNode[] {
  const name = hardware.spec?.bmcRef?.name;
  if (name === undefined) return [];
  const { namespace } = hardware.metadata;
  const jobs = all.jobs.filter(
    ({ spec }) => spec?.machineRef.name === name && spec.machineRef.namespace === namespace,
  );
  const node = reference('machine', all.machines, { name, namespace });
  return [{ ...node, children: jobs.map((job) => jobNode(job, all)) }];
}

function jobNode(job: Resource, all: TreeObjects): TreeNode {
  const tasks = all.tasks.filter((task) => isOwnedBy(task, job));
  return {
    name: `job/${job.metadata.name}`,
    note: conditionsText(job),
    children: tasks.map((task) => ({
      name: `task/${task.metadata.name}`,
      note: conditionsText(task),
      children: [],
    })),
  };
}

function reference(
  kind: string,
  list: readonly Resource[],
  { name, namespace }: { readonly name: string; readonly namespace: string },
): TreeNode {
  const found = list.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const note = found === undefined ? 'does not exist' : conditionsText(found);
  return { name: `${kind}/${name}`, note, children: [] };
}

/** `Ready, not Contactable: timeout` */
function conditionsText(object: Resource): string {
  const list = isRecord(object.status) ? object.status['conditions'] : undefined;
  const conditions = Array.isArray(list) ? list.filter(isRecord) : [];
  return joined(
    conditions.map(({ type, status, message }) => {
      const isSo = status === 'True';
      const why = !isSo && typeof message === 'string' && message !== '' ? `: ${message}` : '';
      return `${isSo ? '' : 'not '}${String(type)}${why}`;
    }),
  );
}

/** Evaluates the machine's attributes against the rule sets, like enrollment does. */
function ruleSetNodes(hardware: Hardware, { ruleSets }: TreeObjects): readonly TreeNode[] {
  const attributes = reportedAttributes(hardware);
  const { winner, results } = matchRuleSets(ruleSets, attributes);
  const winning = winner === undefined ? '' : `${winner.metadata.namespace}/${winner.metadata.name}`;
  return results
    .filter(({ matching }) => matching > 0)
    .map(({ name, matching, rules }) => ({
      name: `workflowruleset/${name.split('/').pop() ?? ''}`,
      note: joined([
        `${matching} of ${rules} rules match`,
        name === winning ? 'used by enrollment' : undefined,
      ]),
      children: [],
    }));
}

function ownerNodes({ metadata }: Resource): readonly TreeNode[] {
  return (metadata.ownerReferences ?? []).map(({ kind, name }) => ({
    name: `owner ${kind.toLowerCase()}/${name}`,
    note: '',
    children: [],
  }));
}

/** Objects that are deleted together with it. */
function ownedNodes(owner: Resource, all: TreeObjects, except: ReadonlySet<string>): readonly TreeNode[] {
  return Object.values<readonly Resource[]>({ ...all })
    .flat()
    .filter((one) => isOwnedBy(one, owner) && !except.has(one.kind))
    .map((one) => ({
      name: `owns ${one.kind.toLowerCase()}/${one.metadata.name}`,
      note: conditionsText(one),
      children: [],
    }));
}

function isOwnedBy({ metadata }: Resource, owner: Resource): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && (metadata.ownerReferences ?? []).some((one) => one.uid === uid);
}

function joined(parts: readonly (string | undefined | false)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}

/** Formats a line for each node, with branches. */
export function treeText(root: TreeNode): string {
  return [lineOf(root), ...branches(root.children, '')].map((line) => `${line}\n`).join('');
}

function branches(nodes: readonly TreeNode[], indent: string): readonly string[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1;
    return [
      `${indent}${isLast ? '└─ ' : '├─ '}${lineOf(node)}`,
      ...branches(node.children, `${indent}${isLast ? '   ' : '│  '}`),
    ];
  });
}

function lineOf({ name, note }: TreeNode): string {
  return printable(note === '' ? name : `${name}  ${note}`);
}
