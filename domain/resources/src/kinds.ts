/** The seven v1alpha1 kinds, with names, columns and labels as in upstream's CRDs. */
import { JobSpec, JobStatus } from './bmc/job.ts';
import { MachineSpec, MachineStatus } from './bmc/machine.ts';
import { TaskSpec, TaskStatus } from './bmc/task.ts';
import { HardwareSpec, HardwareStatus } from './hardware/hardware.ts';
import { dhcpProblems } from './hardware/hardware-rules.ts';
import type { Kind, PrinterColumn } from './kind.ts';
import type { KindOf } from './kind-of.ts';
import type { Resource } from './resource.ts';
import { TemplateSpec, TemplateStatus } from './template.ts';
import { WorkflowRuleSetSpec, WorkflowRuleSetStatus } from './workflow-rule-set.ts';
import { WorkflowSpec, WorkflowStatus } from './workflow.ts';

export type Hardware = Resource<HardwareSpec, HardwareStatus>;
export type Template = Resource<TemplateSpec, TemplateStatus>;
export type Workflow = Resource<WorkflowSpec, WorkflowStatus>;
export type WorkflowRuleSet = Resource<WorkflowRuleSetSpec, WorkflowRuleSetStatus>;
export type BmcMachine = Resource<MachineSpec, MachineStatus>;
export type BmcJob = Resource<JobSpec, JobStatus>;
export type BmcTask = Resource<TaskSpec, TaskStatus>;

const clusterctlLabels = { 'clusterctl.cluster.x-k8s.io': '', 'clusterctl.cluster.x-k8s.io/move': '' };
const stateColumn: PrinterColumn = { name: 'State', jsonPath: '.status.state', type: 'string' };

export const hardwareKind: KindOf<Hardware> = {
  group: 'tinkerbell.org',
  version: 'v1alpha1',
  kind: 'Hardware',
  plural: 'hardware',
  singular: 'hardware',
  shortNames: ['hw'],
  description: 'One physical machine: its network interfaces, disks, metadata and BMC.',
  labels: clusterctlLabels,
  printerColumns: [stateColumn],
  spec: HardwareSpec,
  status: HardwareStatus,
  rules: dhcpProblems,
};

export const templateKind: KindOf<Template> = {
  group: 'tinkerbell.org',
  version: 'v1alpha1',
  kind: 'Template',
  plural: 'templates',
  singular: 'template',
  shortNames: ['tpl'],
  description: 'A text that renders, for one Hardware, to the tasks and actions of a Workflow.',
  printerColumns: [stateColumn],
  spec: TemplateSpec,
  status: TemplateStatus,
};

export const workflowKind: KindOf<Workflow> = {
  group: 'tinkerbell.org',
  version: 'v1alpha1',
  kind: 'Workflow',
  plural: 'workflows',
  singular: 'workflow',
  shortNames: ['wf'],
  description: 'A Template rendered for a Hardware, and the progress of its actions.',
  printerColumns: [
    { name: 'Template', jsonPath: '.spec.templateRef', type: 'string' },
    stateColumn,
    { name: 'Task', jsonPath: '.status.currentState.taskName', type: 'string', priority: 1 },
    { name: 'Action', jsonPath: '.status.currentState.actionName', type: 'string' },
    { name: 'Agent', jsonPath: '.status.currentState.agentID', type: 'string' },
    { name: 'Hardware', jsonPath: '.spec.hardwareRef', type: 'string' },
    { name: 'Template-Rendering', jsonPath: '.status.templateRendering', type: 'string', priority: 1 },
  ],
  spec: WorkflowSpec,
  status: WorkflowStatus,
};

export const workflowRuleSetKind: KindOf<WorkflowRuleSet> = {
  group: 'tinkerbell.org',
  version: 'v1alpha1',
  kind: 'WorkflowRuleSet',
  plural: 'workflowrulesets',
  singular: 'workflowruleset',
  shortNames: ['wrs'],
  description: 'Patterns that match the attributes of a machine and create a Workflow for it.',
  printerColumns: [],
  spec: WorkflowRuleSetSpec,
  status: WorkflowRuleSetStatus,
};

export const bmcMachineKind: KindOf<BmcMachine> = {
  group: 'bmc.tinkerbell.org',
  version: 'v1alpha1',
  kind: 'Machine',
  plural: 'machines',
  singular: 'machine',
  shortNames: [],
  description: 'A BMC and how to reach it.',
  labels: clusterctlLabels,
  printerColumns: [],
  spec: MachineSpec,
  status: MachineStatus,
};

export const bmcJobKind: KindOf<BmcJob> = {
  group: 'bmc.tinkerbell.org',
  version: 'v1alpha1',
  kind: 'Job',
  plural: 'jobs',
  singular: 'job',
  shortNames: ['j'],
  description: 'A list of operations to run in order on one BMC machine.',
  printerColumns: [],
  spec: JobSpec,
  status: JobStatus,
};

export const bmcTaskKind: KindOf<BmcTask> = {
  group: 'bmc.tinkerbell.org',
  version: 'v1alpha1',
  kind: 'Task',
  plural: 'tasks',
  singular: 'task',
  shortNames: ['t'],
  description: 'One operation of a BMC Job.',
  printerColumns: [],
  spec: TaskSpec,
  status: TaskStatus,
};

export const kinds: readonly Kind[] = [
  hardwareKind,
  templateKind,
  workflowKind,
  workflowRuleSetKind,
  bmcMachineKind,
  bmcJobKind,
  bmcTaskKind,
];

/** Returns the kind for a plural, singular, short name or kind, in any case, with or without group. */
export function kindNamed(name: string): Kind | undefined {
  const [word = '', ...group] = name.toLowerCase().split('.');
  const groupName = group.join('.');
  return kinds.find(
    (one) =>
      (groupName === '' || one.group === groupName) &&
      [one.plural, one.singular, one.kind.toLowerCase(), ...one.shortNames].includes(word),
  );
}
