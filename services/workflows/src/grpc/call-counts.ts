/**
 * The metrics that go-grpc-middleware reports for a server, under its names: started and ended calls, messages, and call
 * durations.
 */
import type { CounterChild, HistogramChild } from '@tinkerbell/platform-metrics';
import type { CallMetrics } from '../metrics.ts';

export type CallType = 'unary' | 'server_stream' | 'bidi_stream';

export class CallCounts {
  readonly #metrics: CallMetrics;
  readonly #byPath = new Map<string, CallCount>();

  constructor(metrics: CallMetrics) {
    this.#metrics = metrics;
  }

  /** `path` is the path of a call, `/proto.WorkflowService/GetAction`. Only served methods reach this. */
  of(type: CallType, path: string): CallCount {
    let count = this.#byPath.get(path);
    if (count === undefined) this.#byPath.set(path, (count = new CallCount(this.#metrics, type, path)));
    return count;
  }
}

/** The counters of one method. They are resolved once, because every message is counted. */
class CallCount {
  readonly started: CounterChild;
  readonly received: CounterChild;
  readonly sent: CounterChild;
  readonly #metrics: CallMetrics;
  readonly #labels: Readonly<Record<'grpc_type' | 'grpc_service' | 'grpc_method', string>>;
  readonly #seconds: HistogramChild;
  readonly #handled = new Map<string, CounterChild>();

  constructor(metrics: CallMetrics, type: CallType, path: string) {
    const [, service = '', method = ''] = path.split('/');
    const labels = { grpc_type: type, grpc_service: service, grpc_method: method };
    this.#metrics = metrics;
    this.#labels = labels;
    this.started = metrics.callsStarted.with(labels);
    this.received = metrics.messagesReceived.with(labels);
    this.sent = metrics.messagesSent.with(labels);
    this.#seconds = metrics.callSeconds.with(labels);
  }

  /** `code` has the names of gRPC's Go libraries: `OK`, `NotFound`. */
  handled(code: string, seconds: number): void {
    let handled = this.#handled.get(code);
    if (handled === undefined) {
      handled = this.#metrics.callsHandled.with({ ...this.#labels, grpc_code: code });
      this.#handled.set(code, handled);
    }
    handled.add();
    this.#seconds.observe(seconds);
  }
}
