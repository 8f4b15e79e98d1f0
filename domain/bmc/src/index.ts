export type { BootDevice, BootSetting, PowerOperation, PowerState } from './machine-state.ts';
export { bmcReport, type BmcFinding, type BmcReport } from './check/bmc-report.ts';
export { INVENTORY_CONDITION } from './check/inventory-condition.ts';
export { hasEnded, holds, withCondition, type Condition } from './jobs/conditions.ts';
export { jobStepFor, taskFor, taskNameOf, type JobStep } from './jobs/job-step.ts';
export { describeBootSetting, describeOperation, operationOf, type BmcOperation } from './jobs/operation.ts';
export { powerStepFor, TASK_MS_MAX, type PowerProgress, type PowerStep } from './jobs/power-step.ts';
export {
  eventDestinationFor,
  EVENTS_ANNOTATION,
  EVENTS_PATH,
  subscriptionStepFor,
} from './event-subscription.ts';
export { MEDIA_ANNOTATION } from './served-media.ts';
export { CERTIFICATE_ANNOTATION, pinnedConnection, type PinnedConnection } from './pinned-connection.ts';
export { providersFor, type ProviderName } from './jobs/providers.ts';
export {
  redfishVendorOf,
  type RedfishIdentity,
  type RedfishVendor,
  type RedfishVendorName,
  type ResetType,
} from './redfish/vendors.ts';
export { resetsFor } from './redfish/resets.ts';
export { overrideFor, settingFrom, type OverrideChange, type ReadOverride } from './redfish/boot-override.ts';
export {
  cdDriveOf,
  imageIn,
  insertBody,
  insertChange,
  withMissingParameter,
  type InsertBody,
} from './redfish/virtual-drive.ts';
export { inventoryOf, type RawInventory } from './redfish/inventory-of.ts';
export type { RawAdapter } from './redfish/network-parts.ts';
export type { RawStorage } from './redfish/storage-parts.ts';
