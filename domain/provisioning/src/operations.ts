/** The Provisioning API as REST: the method and path of each call. */
import type { Method } from './parse-request.ts';

export interface Operation {
  /** The call of the gRPC service. */
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
    success: { code: 202, schema: 'ProvisionDeviceResponse', description: 'The device has a job.' },
  },
  {
    method: 'ApplyConfiguration',
    verb: 'put',
    path: '/v1/devices/{device}/configuration',
    summary: 'Set user data, host name and network boot of a machine.',
    success: { code: 200, schema: 'ApplyConfigurationResponse', description: 'The current values.' },
  },
  {
    method: 'ListJobs',
    verb: 'get',
    path: '/v1/jobs',
    summary: 'List jobs, newest first.',
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
    summary: 'Return the progress of a job.',
    success: job,
  },
  {
    method: 'WatchJob',
    verb: 'get',
    path: '/v1/jobs/{id}/watch',
    summary: 'Return the job now and after each change, until it has ended.',
    success: { ...job, description: 'One job per line, or per event.' },
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
    summary: 'Retry a job from where it failed.',
    success: job,
  },
];
