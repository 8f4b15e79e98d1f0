export type { BmcReading } from './checks/active-checks.ts';
export type { CheckedFrom } from './checks/neighbours.ts';
export type { RelayAccount, RelayPolled } from './checks/relay-book.ts';
export type { DoctorConfig, DoctorDeps, WebhookConfig, WebhookFormat } from './config.ts';
export { webhookFormats } from './config.ts';
export { createDoctorService, type Doctor } from './doctor.ts';
export { createDoctorMetrics, createReporterMetrics } from './metrics.ts';
export { createDoctorReporter } from './reporter.ts';
