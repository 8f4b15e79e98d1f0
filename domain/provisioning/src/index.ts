export { refuse, type Failure, type Result } from './failure.ts';
export { parseRequest, type Method, type Requests } from './parse-request.ts';
export type {
  ApplyConfigurationRequest,
  ChangeJobRequest,
  Configuration,
  CreateJobRequest,
  ListJobsRequest,
  ProvisionDeviceRequest,
} from './request.ts';
export { orderOf, textOfOrder, type Order } from './order.ts';
export { findDevice } from './find-device.ts';
export { chooseTemplate, type TemplateChoice } from './choose-template.ts';
export { parametersFor } from './parameters.ts';
export { jobIdOf, workflowFor, type JobInput } from './job-workflow.ts';
export {
  DEVICE_LABEL,
  JOB_LABEL,
  jobIdFromDigest,
  LAST_JOB_ANNOTATION,
  OS_IMAGE_LABEL,
  REQUEST_ANNOTATION,
  USER_LABEL,
  workflowNameOf,
} from './job-name.ts';
export { isFinal, isUnrenderable, jobOf, type Job } from './job.ts';
export { listJobs, type JobPage } from './list-jobs.ts';
export { configurationOf, configured } from './configuration.ts';
export { operations, type Operation } from './operations.ts';
export { openApiDocument } from './openapi.ts';
