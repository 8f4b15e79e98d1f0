export { hasEnded, holds, withCondition, type Condition } from './jobs/conditions.ts';
export { jobStepFor, taskFor, taskNameOf, type JobStep } from './jobs/job-step.ts';
export {
  describeOperation,
  operationOf,
  type BmcOperation,
  type BootDevice,
  type BootSetting,
  type PowerOperation,
  type PowerState,
} from './jobs/operation.ts';
export { powerStepFor, TASK_MS_MAX, type PowerProgress, type PowerStep } from './jobs/power-step.ts';
export { providersFor, type ProviderName } from './jobs/providers.ts';
