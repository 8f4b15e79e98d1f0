/** Parses JSON of a caller into a request of known shape, or reports the invalid field. */
import { formatPath, valueProblems, type Problem, type Schema } from '@tinkerbell/resources';
import { refuse, type Failure, type Result } from './failure.ts';
import {
  ApplyConfigurationRequest,
  ChangeJobRequest,
  CreateJobRequest,
  HOST_NAME_PATTERN,
  JOB_ID_PATTERN,
  JobRequest,
  ListJobsRequest,
  ProvisionDeviceRequest,
} from './message-schemas.ts';
import type * as requests from './request.ts';

/** The request of each method. */
export interface Requests {
  readonly ProvisionDevice: requests.ProvisionDeviceRequest;
  readonly CreateJob: requests.CreateJobRequest;
  readonly GetJobStatus: requests.JobRequest;
  readonly WatchJob: requests.JobRequest;
  readonly CancelJob: requests.ChangeJobRequest;
  readonly RetryJob: requests.ChangeJobRequest;
  readonly ListJobs: requests.ListJobsRequest;
  readonly ApplyConfiguration: requests.ApplyConfigurationRequest;
}

export type Method = keyof Requests;

export interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Schema & { readonly description?: string }>>;
  readonly [keyword: string]: unknown;
}

export const requestSchemas: Readonly<Record<Method, ObjectSchema>> = {
  ProvisionDevice: ProvisionDeviceRequest,
  CreateJob: CreateJobRequest,
  GetJobStatus: JobRequest,
  WatchJob: JobRequest,
  CancelJob: ChangeJobRequest,
  RetryJob: ChangeJobRequest,
  ListJobs: ListJobsRequest,
  ApplyConfiguration: ApplyConfigurationRequest,
};

/** What to say in place of a pattern. */
const patternMessages: ReadonlyMap<string, string> = new Map([
  [`must match ${JOB_ID_PATTERN}`, 'must be a job id, 26 characters such as 01J8ZQ5W6X0000000000000000'],
  [`must match ${HOST_NAME_PATTERN}`, 'must be a host name: letters, digits, "-" and "."'],
]);

/** `value` is JSON of unknown shape. Yields often. */
export function* parseRequest<Of extends Method>(
  method: Of,
  value: unknown,
): Generator<undefined, Result<Requests[Of]>> {
  const [problem] = yield* valueProblems(requestSchemas[method], value);
  if (problem === undefined) return { ok: true, value: value as Requests[Of] };
  return { ok: false, failure: failureOf(problem) };
}

function failureOf({ path, message }: Problem): Failure {
  const text = patternMessages.get(message) ?? message;
  const field = formatPath(path);
  const { failure } = refuse('invalid-argument', `${field === '' ? 'the request' : field}: ${text}`);
  return field === '' ? failure : { ...failure, field };
}
