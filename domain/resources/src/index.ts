export { apiVersionOf, collectionOf, type Kind, type PrinterColumn } from './kind.ts';
export {
  bmcJobKind,
  bmcMachineKind,
  bmcTaskKind,
  hardwareKind,
  kindFor,
  kindNamed,
  kinds,
  templateKind,
  workflowKind,
  workflowRuleSetKind,
  type BmcJob,
  type BmcMachine,
  type BmcTask,
  type Hardware,
  type Template,
  type Workflow,
  type WorkflowRuleSet,
} from './kinds.ts';
export type { ObjectMeta, OwnerReference, Resource } from './resource.ts';
export type { HardwareSpec } from './hardware/hardware.ts';
export type { DhcpSettings, NetbootSettings, NetworkInterface } from './hardware/network-interface.ts';
export type { HardwareMetadata, Instance } from './hardware/metadata.ts';
export type {
  CurrentState,
  WorkflowAction,
  WorkflowCondition,
  WorkflowOperation,
  WorkflowSpec,
  WorkflowStatus,
  WorkflowTask,
} from './workflow.ts';
export { validateResource, type Validated } from './validate.ts';
export { validateManifest, type ManifestObject, type ManifestProblem } from './manifest.ts';
export { formatPath, formatProblem, type Problem } from './problem.ts';
export { isRecord, type Path } from './structure.ts';
export { nearest } from './nearest.ts';
export { crdFor, openApiOf } from './crd.ts';
export { primaryMacOf } from './hardware/primary-mac.ts';
export { uidOf } from './uid.ts';
