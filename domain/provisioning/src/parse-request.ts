/** Parses JSON of a caller into a request of known shape, or reports the invalid field. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { formatPath, nearest } from '@tinkerbell/resources';
import { refuse, type Failure, type Result } from './failure.ts';
import {
  ApplyConfigurationRequest,
  ChangeJobRequest,
  CreateJobRequest,
  JobRequest,
  ListJobsRequest,
  ProvisionDeviceRequest,
} from './message-schemas.ts';
import type * as requests from './request.ts';

interface Requests {
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
  readonly properties: Readonly<Record<string, object & { readonly description?: string }>>;
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

const ajv = new Ajv({ strict: false, verbose: true });
const validators = new Map<Method, ValidateFunction>();

/** `value` is JSON of unknown shape. */
export function parseRequest<Of extends Method>(method: Of, value: unknown): Result<Requests[Of]> {
  let validator = validators.get(method);
  if (validator === undefined) {
    validator = ajv.compile(requestSchemas[method]);
    validators.set(method, validator);
  }
  if (validator(value)) return { ok: true, value: value as Requests[Of] };
  const [error] = validator.errors ?? [];
  return { ok: false, failure: error === undefined ? invalid('', 'is not valid') : failureOf(error) };
}

function invalid(field: string, message: string): Failure {
  const { failure } = refuse('invalid-argument', `${field === '' ? 'the request' : field}: ${message}`);
  return field === '' ? failure : { ...failure, field };
}

function failureOf(error: ErrorObject): Failure {
  const path = error.instancePath.split('/').slice(1).map(unescaped);
  switch (error.keyword) {
    case 'required':
      return invalid(formatPath([...path, String(error.params['missingProperty'])]), 'is required');
    case 'additionalProperties':
      return unknownField(error, path);
    case 'enum':
      return invalid(formatPath(path), `must be one of ${(error.schema as string[]).join(', ')}`);
    case 'type':
      return invalid(formatPath(path), `must be ${[error.schema].flat().join(' or ')}`);
    case 'pattern':
      return invalid(formatPath(path), patternMessage(path));
    default:
      return invalid(formatPath(path), error.message ?? 'is not valid');
  }
}

/** RFC 6901. */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function unknownField(error: ErrorObject, path: readonly string[]): Failure {
  const name = String(error.params['additionalProperty']);
  const known = Object.keys((error.parentSchema as { properties: object }).properties);
  const close = nearest(name, known);
  const hint = close === undefined ? `known fields: ${known.join(', ')}` : `did you mean ${close}?`;
  return invalid(formatPath([...path, name]), `unknown field; ${hint}`);
}

function patternMessage(path: readonly string[]): string {
  return path.at(-1) === 'job_id'
    ? 'must be a job id, 26 characters such as 01J8ZQ5W6X0000000000000000'
    : 'must be a host name: letters, digits, "-" and "."';
}
