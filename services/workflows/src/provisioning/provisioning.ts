/** The Provisioning API: one set of calls, available over gRPC and as REST. */
import { Slots, type Authenticator, type Authorizer, type HttpRoute } from '@tinkerbell/platform-contract';
import type { Calls } from '../grpc/calls.ts';
import type { RpcService } from '../grpc/grpc-server.ts';
import { anonymousAccess, type Access } from './access.ts';
import { guardedAccess } from './guarded-access.ts';
import type { ProvisioningDeps } from './job-store.ts';
import { provisioningRpc, type ProvisioningAudience } from './provisioning-rpc.ts';
import { provisioningRoutes } from './provisioning-routes.ts';

export interface ProvisioningConfig {
  /** The namespace of Hardware, Templates and jobs (default: `default`). */
  readonly namespace?: string;
  /** The callers permitted over gRPC (default: `none`). For REST the listener decides. */
  readonly audience?: ProvisioningAudience;
  readonly access?: Access;
}

/**
 * The limit for gRPC and HTTP together, because each watch checks every change. A site provisions hundreds of machines at one
 * time, not thousands.
 */
const WATCHERS_MAX = 1000;

export interface Provisioning {
  readonly rpc: RpcService;
  readonly routes: readonly HttpRoute[];
}

type ProvisioningParts = Omit<ProvisioningDeps, 'access' | 'namespace' | 'watchers'> & {
  readonly authorizer?: Authorizer;
  readonly authenticator?: Authenticator;
};

interface ProvisioningServer {
  readonly calls: Calls;
  /** Ends watches. */
  readonly stopping: AbortSignal;
}

export function createProvisioning(
  deps: ProvisioningParts,
  { calls, stopping }: ProvisioningServer,
  { namespace = 'default', audience = 'none', ...config }: ProvisioningConfig = {},
): Provisioning {
  const access = config.access ?? accessOf(deps, namespace);
  const own: ProvisioningDeps = { ...deps, namespace, access, watchers: new Slots(WATCHERS_MAX) };
  return { rpc: provisioningRpc(own, calls, audience), routes: provisioningRoutes(own, stopping) };
}

function accessOf({ authorizer, authenticator }: ProvisioningParts, namespace: string): Access {
  if (authorizer === undefined || authenticator === undefined) return anonymousAccess;
  return guardedAccess({ authorizer, authenticator, namespace });
}
