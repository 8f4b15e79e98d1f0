/** What go-grpc-middleware tells of a server, under its names: calls begun and ended, messages, and how long calls took. */
import { Histogram } from '@tinkerbell/platform-contract';

export type CallType = 'unary' | 'server_stream' | 'bidi_stream';

export class CallCounts {
  readonly #byPath = new Map<string, CallCount>();

  /** `path` is that of a call, `/proto.WorkflowService/GetAction`: only those that are served come here. */
  of(type: CallType, path: string): CallCount {
    let count = this.#byPath.get(path);
    if (count === undefined) this.#byPath.set(path, (count = new CallCount(type, path)));
    return count;
  }

  /** By metric name with labels. */
  counters(): Readonly<Record<string, number>> {
    return Object.assign({}, ...[...this.#byPath.values()].map((count) => count.counters()));
  }
}

/** Of one method. Plain numbers: it is counted for each message. */
class CallCount {
  started = 0;
  received = 0;
  sent = 0;
  readonly #seconds = new Histogram();
  readonly #handled = new Map<string, number>();
  readonly #labels: string;

  constructor(type: CallType, path: string) {
    const [, service = '', method = ''] = path.split('/');
    this.#labels = `grpc_type="${type}",grpc_service="${service}",grpc_method="${method}"`;
  }

  /** `code` as gRPC's libraries for Go name it: `OK`, `NotFound`. */
  handled(code: string, seconds: number): void {
    this.#handled.set(code, (this.#handled.get(code) ?? 0) + 1);
    this.#seconds.observe(seconds);
  }

  counters(): Readonly<Record<string, number>> {
    const labels = this.#labels;
    const handled = [...this.#handled].map(([code, count]) => [
      `grpc_server_handled_total{${labels},grpc_code="${code}"}`,
      count,
    ]);
    return {
      [`grpc_server_started_total{${labels}}`]: this.started,
      ...Object.fromEntries(handled),
      [`grpc_server_msg_received_total{${labels}}`]: this.received,
      [`grpc_server_msg_sent_total{${labels}}`]: this.sent,
      ...this.#seconds.samples('grpc_server_handling_seconds', labels),
    };
  }
}
