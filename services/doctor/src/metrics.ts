import type { MetricSet } from '@tinkerbell/platform-metrics';

export type DoctorMetrics = ReturnType<typeof createDoctorMetrics>;
export type ReporterMetrics = ReturnType<typeof createReporterMetrics>;

/** What the doctor counts. */
export function createDoctorMetrics(set: MetricSet) {
  return {
    verdicts: set.gauge('doctor_verdicts', 'machines whose last boot is in a state', ['state']),
    checks: set.counter('doctor_checks_total', 'machines checked for why they do not boot'),
    late: set.gauge('doctor_waiting', 'machines that wait for a check that is due'),
  };
}

/** What the reporter of verdicts counts. */
export function createReporterMetrics(set: MetricSet) {
  return {
    webhooks: set.counter('doctor_webhooks_total', 'webhook requests: sent, retried, failed or dropped', [
      'result',
    ]),
  };
}
