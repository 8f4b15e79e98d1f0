/** Traces HTTP requests as spans. */
import {
  parseTraceparent,
  pathNameOf,
  type HttpContext,
  type HttpRequest,
  type Span,
  type Tracer,
} from '@tinkerbell/platform-contract';
import { primaryMacOf } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { parseMac } from '@tinkerbell/wire';

export interface RequestTracing {
  readonly tracer: Tracer;
  /** Finds the machine that sent a request. */
  readonly view: Pick<View, 'hardwareByIp'>;
}

interface Asked {
  readonly route: string;
  readonly request: HttpRequest;
  readonly context: HttpContext;
}

/** Undefined without a collector. The parent is the caller's span, else the boot of the machine that sent the request. */
export function requestSpan(
  { tracer, view }: RequestTracing,
  { route, request, context }: Asked,
): Span | undefined {
  if (!tracer.isOn) return undefined;
  const path = pathNameOf(request.url);
  const parent = parseTraceparent(request.headers.get('traceparent'));
  return tracer.startSpan(`${request.method} ${route}`, {
    kind: 'server',
    parent,
    machine: machineOf(path, view, context.peer.address),
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      // Omit the query, which may contain anything.
      'url.path': path,
      'client.address': context.peer.address,
    },
  });
}

/** Finds the machine by the MAC in the path that our DHCP sent, else by the address in its Hardware. */
function machineOf(path: string, view: RequestTracing['view'], address: string): string | undefined {
  const named = path.split('/').map(parseMac).find(Boolean);
  return named ?? primaryMacOf(view.hardwareByIp(address)[0])?.toLowerCase();
}

export function endRequestSpan(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.fail(`answered ${status}`);
  span.end();
}
