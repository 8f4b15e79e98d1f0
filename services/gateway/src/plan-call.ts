import type { Log } from '@tinkerbell/platform-contract';
import type { CallPlan } from './call-plan.ts';
import type { Exchange } from './exchange.ts';
import { requestFields, type RequestLine } from './http2-fields.ts';
import { TracedBlock } from './traced-block.ts';

export interface CallFacts extends Pick<CallPlan, 'table' | 'route' | 'address' | 'verified'> {
  readonly exchange: Exchange;
  /** What the upstream gets of this call. */
  readonly request: RequestLine;
}

/** Returns undefined for a call that has something of its own besides its trace, or that is not relayed. */
export function planOf(
  { exchange, request, table, route, address, verified }: CallFacts,
  log: Log,
): CallPlan | undefined {
  const { cors, answerTimeoutMs, headers } = route.settings.middlewares;
  const isTraceChanged = 'traceparent' in exchange.fields || headers?.request.has('traceparent') === true;
  if (isTraceChanged || cors !== undefined || answerTimeoutMs !== undefined) return undefined;
  const fields = { ...request.fields, traceparent: undefined };
  return {
    table,
    route,
    address,
    verified,
    block: new TracedBlock(requestFields({ ...request, fields })),
    log: log.child(constantLogFields(exchange, { route: route.settings.name, address, isGrpc: true })),
  };
}

/** What the lines of all requests with the same header fields have in common. */
export function constantLogFields(
  { method, authority, target, protocol }: Exchange,
  { route, address, isGrpc }: { readonly route: string; readonly address: string; readonly isGrpc: boolean },
) {
  return {
    route,
    client: address,
    method,
    host: authority.slice(0, 255),
    // Queries sometimes contain tokens.
    path: target.replace(/\?.*$/s, '').slice(0, 1024),
    protocol: isGrpc ? 'gRPC' : protocol,
  };
}
