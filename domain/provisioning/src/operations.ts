/** The Provisioning API as REST: which method and path is which call. */
import type { Method } from './parse-request.ts';

export interface Operation {
  /** The call of the gRPC service that it is. */
  readonly method: Method;
  readonly verb: 'get' | 'post' | 'put';
  /** `{device}` is `device_id` and `{id}` is `job_id` of the request. */
  readonly path: string;
  readonly summary: string;
  readonly success: { readonly code: number; readonly schema: string; readonly description: string };
}

const job = { code: 200, schema: 'Job', description: 'The job.' } as const;

export const operations: readonly Operation[] = [
  {
    method: 'ProvisionDevice',
    verb: 'post',
    path: '/v1/devices/{device}/provision',
    summary: 'Install an operating system on a machine.',
    success: { code: 202, schema: 'ProvisionDeviceResponse', description: 'There is a job for it.' },
  },
  {
    method: 'ApplyConfiguration',
    verb: 'put',
    path: '/v1/devices/{device}/configuration',
    summary: 'Set user data, host name and network boot of a machine.',
    success: { code: 200, schema: 'ApplyConfigurationResponse', description: 'What holds now.' },
  },
  {
    method: 'ListJobs',
    verb: 'get',
    path: '/v1/jobs',
    summary: 'Jobs, newest first.',
    success: { code: 200, schema: 'ListJobsResponse', description: 'A page of jobs.' },
  },
  {
    method: 'CreateJob',
    verb: 'post',
    path: '/v1/jobs',
    summary: 'Run a Template on a machine.',
    success: { code: 201, schema: 'Job', description: 'The job.' },
  },
  {
    method: 'GetJobStatus',
    verb: 'get',
    path: '/v1/jobs/{id}',
    summary: 'How far a job is.',
    success: job,
  },
  {
    method: 'WatchJob',
    verb: 'get',
    path: '/v1/jobs/{id}/watch',
    summary: 'The job now and after each change, until it has ended.',
    success: { ...job, description: 'One job in each line, or in each event.' },
  },
  {
    method: 'CancelJob',
    verb: 'post',
    path: '/v1/jobs/{id}/cancel',
    summary: 'End a job.',
    success: job,
  },
  {
    method: 'RetryJob',
    verb: 'post',
    path: '/v1/jobs/{id}/retry',
    summary: 'Go on with a job where it failed.',
    success: job,
  },
];
