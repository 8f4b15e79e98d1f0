import type { MetricFamilies } from '@tinkerbell/platform-metrics';
import type { HttpRoute } from './http.ts';

export interface ServiceHealth {
  readonly ready: boolean;
  /** The reason the service is not ready, written for operators. */
  readonly reason?: string;
}

/** A long-running service of the process. `start` resolves when it listens. It stops when `signal` aborts. */
export interface Service {
  readonly name: string;
  readonly routes: readonly HttpRoute[];
  /** The metrics that `/metrics` shows for the service. Default: none. */
  readonly metrics?: MetricFamilies;
  /** Resolves once ready. The service ends its own loops when `signal` aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when everything started by `start` has ended after the signal. */
  stopped(): Promise<void>;
  health(): ServiceHealth;
}
