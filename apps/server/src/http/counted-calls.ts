/** Calls routes, and counts and traces what they answer. Waits for a route only if it must. */
import {
  WebSocketResponse,
  type Awaitable,
  type Clock,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
  type Span,
} from '@tinkerbell/platform-contract';
import type { Measured } from '../metrics/metrics-pages.ts';
import { endRequestSpan, requestSpan, type RequestTracing } from './request-span.ts';

export interface Call {
  readonly request: HttpRequest;
  readonly context: HttpContext;
  /** On the monotonic clock. */
  readonly startedMs: number;
}

interface CallsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly measured: Pick<Measured, 'requests'>;
  readonly tracing: RequestTracing;
}

/** Undefined leaves the request to another route. */
type Answer = Response | undefined;

/** The listener answers this if a handler throws. */
const FAILED = 500;

export function countedCalls(
  { clock, measured: { requests }, tracing }: CallsOptions,
  handle: (route: HttpRoute, call: Call) => Awaitable<Answer>,
): (route: HttpRoute, call: Call) => Awaitable<Answer> {
  return (route, call) => {
    const { name } = route;
    requests.began(name);
    const { request, context } = call;
    const span = requestSpan(tracing, { route: name, request, context });
    const traced: TracedCall = span === undefined ? call : { ...call, span };
    try {
      const answer = handle(route, call);
      if (answer instanceof Promise) return awaited(answer, name, traced);
      end(name, traced, answer && statusOf(answer, request));
      return answer;
    } catch (thrown) {
      end(name, traced, FAILED);
      throw thrown;
    }
  };

  async function awaited(answer: Promise<Answer>, name: string, call: TracedCall): Promise<Answer> {
    let status: number | undefined = FAILED;
    try {
      const response = await answer;
      status = response && statusOf(response, call.request);
      return response;
    } finally {
      end(name, call, status);
    }
  }

  function end(name: string, { request, startedMs, span }: TracedCall, status: number | undefined): void {
    if (status === undefined) return requests.declined(name);
    const seconds = (clock.monotonicMs() - startedMs) / 1000;
    requests.answered(name, request, { status, seconds });
    // A request passed on to another route is not traced here.
    if (span !== undefined) endRequestSpan(span, status);
  }
}

interface TracedCall extends Call {
  readonly span?: Span;
}

/** A WebSocket that the listener opens has succeeded. The response has the status for a client that did not ask for one. */
function statusOf(response: Response, { headers }: HttpRequest): number {
  const isOpened = response instanceof WebSocketResponse && headers.has('upgrade');
  return isOpened ? 101 : response.status;
}
