import type { MetricSet } from '@tinkerbell/platform-metrics';

export type BmcMetrics = ReturnType<typeof createBmcMetrics>;

/** What the BMC controller counts. */
export function createBmcMetrics(set: MetricSet) {
  return {
    reconciled: set.counter('bmc_reconcile_total', 'reconciliations of Machines, Jobs and Tasks completed'),
    reconcileErrors: set.counter(
      'bmc_reconcile_errors_total',
      'reconciliations of Machines, Jobs and Tasks that failed and are repeated',
    ),
    waiting: set.gauge('bmc_waiting', 'Machines, Jobs and Tasks waiting for reconciliation'),
    operations: set.counter('bmc_operations_total', 'calls to BMCs by their kind and outcome', [
      'operation',
      'outcome',
    ]),
    seconds: set.histogram('bmc_operation_seconds', 'duration of calls to BMCs', {
      labels: ['operation'],
      bounds: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    }),
    machines: set.gauge('bmc_machines', 'Machines by power state', ['power']),
  };
}
