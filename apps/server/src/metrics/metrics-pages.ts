/** `/metrics`, and what of it upstream shows on a page of its own. */
import { nextTurn, WholeResponse, type Service } from '@tinkerbell/platform-contract';
import { METRICS_CONTENT_TYPE, metricsText, type MetricFamilies } from '@tinkerbell/platform-metrics';
import type { ProcessMetrics } from '@tinkerbell/platform-telemetry';
import type { RequestCounts } from './request-counts.ts';

export interface Measured {
  readonly services: readonly Service[];
  readonly requests: RequestCounts;
  readonly process: ProcessMetrics;
  /** Metrics of components that are not services, such as the store. */
  readonly others: readonly MetricFamilies[];
}

/** What a page shows. `/metrics` shows all, and what Node reports of the process. */
const pages: ReadonlyMap<string, (measured: Measured) => readonly MetricFamilies[]> = new Map([
  ['/smee/metrics', (measured) => [...ofServices(measured, 'boot'), measured.requests.jobs]],
  ['/tink-server/metrics', (measured) => ofServices(measured, 'workflows')],
  ['/controllers/metrics', (measured) => ofServices(measured, 'controller', 'events', 'bmc')],
  ['/http/metrics', ({ requests }) => [requests.all]],
]);

/** Returns undefined for a path that is not a page of metrics. */
export function metricsPage(path: string, measured: Measured): Promise<Response> | undefined {
  if (path === '/metrics') return everything(measured);
  const page = pages.get(path);
  return page === undefined ? undefined : Promise.resolve(response(textOf(page(measured))));
}

/** The text that is being made. Requests of one turn share it, because each text takes a millisecond or two. */
const inProgress = new WeakMap<ProcessMetrics, Promise<string>>();

async function everything(measured: Measured): Promise<Response> {
  let text = inProgress.get(measured.process);
  if (text === undefined) {
    text = textOfAll(measured).finally(() => inProgress.delete(measured.process));
    inProgress.set(measured.process, text);
  }
  return response(await text);
}

async function textOfAll({ services, requests, others, process }: Measured): Promise<string> {
  const ofProcess = await process.text();
  const served = services.flatMap(({ metrics = [] }) => metrics);
  const ofServer = textOf([...served, requests.jobs, requests.all, ...others]);
  await nextTurn();
  return ofServer + ofProcess;
}

function ofServices({ services }: Measured, ...names: readonly string[]): readonly MetricFamilies[] {
  return services.filter(({ name }) => names.includes(name)).flatMap(({ metrics = [] }) => metrics);
}

function textOf(sources: readonly MetricFamilies[]): string {
  return metricsText(sources.flatMap((source) => source.families()));
}

function response(text: string): Response {
  return new WholeResponse(text, { headers: { 'content-type': METRICS_CONTENT_TYPE } });
}
