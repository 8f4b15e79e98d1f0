/** `/metrics`, and what of it upstream shows on a page of its own. */
import { WholeResponse, type Service } from '@tinkerbell/platform-contract';
import {
  METRICS_CONTENT_TYPE,
  metricsText,
  type ProcessMetrics,
  type Sample,
} from '@tinkerbell/platform-telemetry';
import { allFamilies, metricPages, type MetricPage } from './metric-families.ts';
import type { RequestCounts } from './request-counts.ts';

export interface Measured {
  readonly services: readonly Service[];
  readonly requests: RequestCounts;
  readonly process: ProcessMetrics;
  /** Of what is no service: the store. */
  readonly others: () => readonly Sample[];
}

/** The routes whose answers boot machines: upstream's jobs. */
const JOB_ROUTES = ['ipxe-script', 'ipxe-binary', 'pxe-files'];

/** Undefined for a path that is no page of metrics. */
export function metricsPage(path: string, measured: Measured): Promise<Response> | undefined {
  if (path === '/metrics') return everything(measured);
  const page = metricPages.find((one) => one.path === path);
  return page === undefined ? undefined : Promise.resolve(response(pageText(page, measured)));
}

async function everything(measured: Measured): Promise<Response> {
  const samples = [
    ...measured.services.flatMap(countersOf),
    ...measured.requests.jobSamples(JOB_ROUTES),
    ...measured.requests.samples(),
    ...measured.others(),
  ];
  return response(metricsText(allFamilies, samples) + (await measured.process.text()));
}

function pageText(page: MetricPage, { services, requests }: Measured): string {
  const own = services.filter(({ name }) => page.services.includes(name)).flatMap(countersOf);
  const jobs = page.services.includes('boot') ? requests.jobSamples(JOB_ROUTES) : [];
  const http = page.path === '/http/metrics' ? requests.samples() : [];
  return metricsText(page.families, [...own, ...jobs, ...http]);
}

function countersOf(service: Service): readonly Sample[] {
  return Object.entries(service.health().counters ?? {});
}

function response(text: string): Response {
  return new WholeResponse(text, { headers: { 'content-type': METRICS_CONTENT_TYPE } });
}
