/** The Provisioning API: one set of calls, spoken over gRPC and as REST. */
import { Slots, type HttpRoute } from '@tinkerbell/platform-contract';
import type { Calls } from '../grpc/calls.ts';
import type { RpcService } from '../grpc/grpc-server.ts';
import { anonymousAccess, type Access } from './access.ts';
import type { ProvisioningDeps } from './job-store.ts';
import { provisioningRpc, type ProvisioningAudience } from './provisioning-rpc.ts';
import { provisioningRoutes } from './provisioning-routes.ts';

export interface ProvisioningConfig {
  /** Where Hardware, Templates and jobs are; `default` when absent. */
  readonly namespace?: string;
  /** Who may call over gRPC; for REST the listener decides. `loopback` when absent. */
  readonly audience?: ProvisioningAudience;
  readonly access?: Access;
}

/** Over gRPC and HTTP together; each looks at every change. A site provisions hundreds of machines at one time, not thousands. */
const WATCHERS_MAX = 1000;

export interface Provisioning {
  readonly rpc: RpcService;
  readonly routes: readonly HttpRoute[];
}

/** `stopping` ends watches. */
export function createProvisioning(
  deps: Omit<ProvisioningDeps, 'access' | 'namespace' | 'watchers'>,
  calls: Calls,
  stopping: AbortSignal,
  { namespace = 'default', audience = 'loopback', access = anonymousAccess }: ProvisioningConfig = {},
): Provisioning {
  const own: ProvisioningDeps = { ...deps, namespace, access, watchers: new Slots(WATCHERS_MAX) };
  return { rpc: provisioningRpc(own, calls, audience), routes: provisioningRoutes(own, stopping) };
}
