export { apiVersionOf, collectionOf, rootPathOf, type Kind, type PrinterColumn } from './kind.ts';
export { isOfKind, ofKind, type KindOf, type ObjectsOf } from './kind-of.ts';
export { objectMeta } from './object-meta.ts';
export { builtInKinds, kindFor } from './built-in-kinds.ts';
export { firstNamespaces, leaseKind, namespaceKind } from './core/namespace.ts';
export { configMapKind, secretKind, type Secret } from './core/secret.ts';
export {
  clusterRoleBindingKind,
  clusterRoleKind,
  roleBindingKind,
  roleKind,
  type BindingResource,
  type RoleResource,
} from './core/role-kinds.ts';
export { serviceAccountKind } from './core/service-account.ts';
export { eventKind, eventOf, type Event, type Happening } from './core/event.ts';
export {
  customResourceDefinitionKind,
  type CustomResourceDefinition,
  type DefinitionCondition,
} from './core/custom-resource-definition.ts';
export {
  bootDeviceExtensions,
  hardwareStatusExtensions,
  ipmiOptionExtensions,
  workflowActionExtensions,
  workflowStatusExtensions,
} from './upstream-extensions.ts';
export { isDeepEqual } from './deep-equal.ts';
export { RecentMap } from './recent-map.ts';
export { SeenHardware } from './hardware/seen-hardware.ts';
export {
  bmcJobKind,
  bmcMachineKind,
  bmcTaskKind,
  hardwareKind,
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
export type { ManagedFieldsEntry, ObjectMeta, OwnerReference, Resource } from './resource.ts';
export type { HardwareSpec } from './hardware/hardware.ts';
export type { DhcpSettings } from './hardware/dhcp-settings.ts';
export type { NetbootSettings } from './hardware/netboot-settings.ts';
export type { NetworkInterface } from './hardware/network-interface.ts';
export type { HardwareMetadata, Instance } from './hardware/metadata.ts';
export type { WorkflowAction } from './workflow-action.ts';
export type {
  CurrentState,
  WorkflowCondition,
  WorkflowOperation,
  WorkflowSpec,
  WorkflowStatus,
  WorkflowTask,
} from './workflow.ts';
export {
  compileBuiltIns,
  kindOfObject,
  objectSchemaOf,
  prunedTo,
  validateAs,
  validateResource,
  validation,
  valueProblems,
  type CheckedObject,
  type Validated,
} from './validate.ts';
export { checkDefinitionText, checkObjectText, type ObjectTexts, type ObjectVerdict } from './check-texts.ts';
export { validateManifest, type ManifestObject, type ManifestProblem } from './manifest.ts';
export { formatPath, formatProblem, type Problem } from './problem.ts';
export { isRecord } from '@tinkerbell/yaml/json';
export type { Path } from './schema/place.ts';
export { managersAfterUpdate, serverSideApply, type FieldConflict } from './apply/server-side-apply.ts';
export { strategicMerge } from './strategic-merge.ts';
export { nearest } from './nearest.ts';
export type { Schema } from './schema.ts';
export { drained } from './drained.ts';
export { crdFor, openApiOf } from './crd.ts';
export type { HardwareCondition } from './hardware/hardware.ts';
export {
  claimsOf,
  mayRunOn,
  ownerAmong,
  USE_HARDWARE,
  usedHardware,
  type Claim,
} from './hardware/ownership.ts';
export { agentIdOf } from './hardware/agent-id.ts';
export { macsOf } from './hardware/macs-of.ts';
export { primaryMacOf } from './hardware/primary-mac.ts';
export { RESCUE_ANNOTATION } from './hardware/rescue.ts';
export type { OutOfBandAttributes } from './hardware/attributes.ts';
export type { BmcAction } from './bmc/action.ts';
export type { Connection } from './bmc/connection.ts';
export type { ProviderOptions } from './bmc/provider-options.ts';
export { uidOf } from './uid.ts';
export { definitionSchemaProblems, kindsOfDefinition } from './custom-kind.ts';
export { beyond, isSmall, OBJECT_LIMITS, sizeFault, sizeOf, type Size } from './value-size.ts';
export { ProblemList } from './problem-list.ts';
