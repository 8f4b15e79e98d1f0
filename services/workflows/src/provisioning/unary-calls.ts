/** The calls with one response: JSON of a caller in, JSON out, the same for gRPC and REST. */
import { findDevice, listJobs, orderOf, type Method } from '@tinkerbell/provisioning';
import { workflowCollection } from '@tinkerbell/store-contract';
import { applyConfiguration } from './apply-configuration.ts';
import type { ProvisioningCaller } from './access.ts';
import { cancelJob, retryJob } from './change-job.ts';
import { createJob, type MadeJob } from './create-job.ts';
import { hardwareIn, jobNamed, type ProvisioningDeps } from './job-store.ts';
import { checkedRequest, RefusedRequest, valueOf } from './refused-request.ts';

type UnaryMethod = Exclude<Method, 'WatchJob'>;

/** `request` is JSON of unknown shape. Rejects with an RpcError. */
type Call = (deps: ProvisioningDeps, request: unknown, caller: ProvisioningCaller) => Promise<object>;

export const unaryCalls: Readonly<Record<UnaryMethod, Call>> = {
  async ProvisionDevice(deps, request, caller) {
    const { job, isRepeat } = await order(deps, { method: 'ProvisionDevice', request, caller });
    const message = isRepeat
      ? `job ${job.job_id} was made by an earlier request with this key; it is ${job.state}`
      : `${job.template} will be run on ${job.device_id}`;
    return { job_id: job.job_id, status: 'ACCEPTED', message };
  },
  async CreateJob(deps, request, caller) {
    return (await order(deps, { method: 'CreateJob', request, caller })).job;
  },
  async GetJobStatus(deps, request, caller) {
    await deps.access.identityOf(caller, 'GetJobStatus');
    return (await jobNamed(deps, (await checkedRequest('GetJobStatus', request)).job_id)).job;
  },
  async CancelJob(deps, request, caller) {
    const identity = await deps.access.identityOf(caller, 'CancelJob');
    return cancelJob(deps, await checkedRequest('CancelJob', request), identity);
  },
  async RetryJob(deps, request, caller) {
    const identity = await deps.access.identityOf(caller, 'RetryJob');
    return retryJob(deps, await checkedRequest('RetryJob', request), identity);
  },
  async ListJobs(deps, request, caller) {
    await deps.access.identityOf(caller, 'ListJobs');
    const { device_id: device, ...filter } = await checkedRequest('ListJobs', request);
    const named = device === undefined ? {} : { device_id: hardwareNameOf(deps, device) };
    const workflows = workflowCollection
      .all(deps.view)
      .filter(({ metadata }) => metadata.namespace === deps.namespace);
    return valueOf(listJobs(workflows, { ...filter, ...named }));
  },
  async ApplyConfiguration(deps, request, caller) {
    const identity = await deps.access.identityOf(caller, 'ApplyConfiguration');
    return applyConfiguration(deps, await checkedRequest('ApplyConfiguration', request), identity);
  },
};

/** Throws for a method without a call, which is a fault of this server. */
export function unaryCallNamed(name: string): Call {
  const call = callsByName.get(name);
  if (call === undefined) throw new Error(`the provisioning API has no call for ${name}`);
  return call;
}

const callsByName = new Map(Object.entries(unaryCalls));

interface Ordering {
  readonly method: 'ProvisionDevice' | 'CreateJob';
  readonly request: unknown;
  readonly caller: ProvisioningCaller;
}

async function order(deps: ProvisioningDeps, { method, request, caller }: Ordering): Promise<MadeJob> {
  const identity = await deps.access.identityOf(caller, method);
  const parsed = await checkedRequest(method, withKey(request, caller));
  const field = method === 'ProvisionDevice' ? 'config' : 'parameters';
  return createJob(deps, { order: valueOf(orderOf(parsed)), identity, field });
}

/** The key in the request takes precedence over the header's. */
function withKey(request: unknown, caller: ProvisioningCaller): unknown {
  const key = caller.header('idempotency-key');
  const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
  return key === undefined || !isObject ? request : { idempotency_key: key, ...request };
}

/** Jobs outlive their Hardware, and are then found by its name. */
function hardwareNameOf(deps: ProvisioningDeps, device: string): string {
  const found = findDevice(device, hardwareIn(deps));
  if (found.ok) return found.value.metadata.name;
  if (found.failure.code === 'not-found') return device;
  throw new RefusedRequest(found.failure);
}
