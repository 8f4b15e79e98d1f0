import type { MetricFamilies } from '@tinkerbell/platform-metrics';
import type { HttpRoute } from './http.ts';

export interface ServiceHealth {
  readonly ready: boolean;
  /** Why it is not ready, in words for an operator. */
  readonly reason?: string;
}

/** A long-running duty of the process. `start` resolves when it listens; it stops when `signal` aborts. */
export interface Service {
  readonly name: string;
  readonly routes: readonly HttpRoute[];
  /** What `/metrics` shows of it; nothing when absent. */
  readonly metrics?: MetricFamilies;
  /** Resolves once ready. The service ends its own loops when `signal` aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when everything started by `start` has ended after the signal. */
  stopped(): Promise<void>;
  health(): ServiceHealth;
}
