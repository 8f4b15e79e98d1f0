/** grpc.health.v1 for the server ("") and each of its services. */
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthCheckResponseSchema,
  type HealthCheckRequest,
  type HealthCheckResponse,
} from '@tinkerbell/api/health';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { create } from '@bufbuild/protobuf';
import type { Calls, ResponseStream } from './calls.ts';
import type { RpcService } from './grpc-server.ts';
import { RpcError } from './rpc-error.ts';

/** Every listed service is SERVING while the server runs, because the server starts with a view that is ready. */
export function healthRpc(calls: Calls, services: readonly RpcService[]): RpcService {
  const names = new Set(['', Health.typeName, ...services.map(({ descriptor }) => descriptor.typeName)]);
  return {
    descriptor: Health,
    definition: serviceDefinition(Health),
    handlers: {
      check: calls.unary<HealthCheckRequest, HealthCheckResponse>('Check', ({ service }) =>
        names.has(service)
          ? Promise.resolve(response(ServingStatus.SERVING))
          : Promise.reject(new RpcError('not-found', `unknown service ${service}`)),
      ),
      watch: calls.serverStream<HealthCheckRequest, HealthCheckResponse>('Watch', ({ service }, out) =>
        watch(names.has(service) ? ServingStatus.SERVING : ServingStatus.SERVICE_UNKNOWN, out),
      ),
    },
  };
}

/** A stopping server breaks the stream, which its client treats as not serving. */
async function watch(status: ServingStatus, out: ResponseStream<HealthCheckResponse>): Promise<void> {
  await out.send(response(status));
  await new Promise<void>((resolve) => out.ending.onEnd(resolve));
  throw new RpcError('unavailable', 'server shutting down');
}

function response(status: ServingStatus): HealthCheckResponse {
  return create(HealthCheckResponseSchema, { status });
}
