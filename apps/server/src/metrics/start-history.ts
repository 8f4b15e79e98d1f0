/** Takes a point of the metrics of this process every ten seconds. */
import { performance } from 'node:perf_hooks';
import { repeat, type Clock, type Service } from '@tinkerbell/platform-contract';
import type { RequestCounts } from './request-counts.ts';
import { EVERY_MS, MetricHistory, totalOf, type Totals } from './metric-history.ts';

interface Sources {
  readonly services: readonly Service[];
  readonly requests: RequestCounts;
}

/** The first point is taken at once, and has the means since the process began. */
export function startHistory(clock: Clock, sources: Sources, signal: AbortSignal): MetricHistory {
  const uptimeMs = process.uptime() * 1000;
  const history = new MetricHistory({
    atMs: clock.nowMs() - uptimeMs,
    residentBytes: 0,
    processorSeconds: 0,
    busySeconds: 0,
    requests: 0,
    dhcpMessages: 0,
    agentReports: 0,
  });
  const take = (): void => history.take(totalsNow(clock, sources));
  take();
  repeat(clock, { everyMs: EVERY_MS, signal }, take);
  return history;
}

function totalsNow(clock: Clock, { services, requests }: Sources): Totals {
  const { user, system } = process.cpuUsage();
  const served = services.flatMap(({ metrics }) => metrics ?? []);
  return {
    atMs: clock.nowMs(),
    residentBytes: process.memoryUsage.rss(),
    processorSeconds: (user + system) / 1e6,
    busySeconds: performance.eventLoopUtilization().active / 1000,
    requests: totalOf([requests.all], 'http_server_requests_total'),
    dhcpMessages: totalOf(served, 'dhcp_total'),
    agentReports: totalOf(served, 'tink_server_reports_total'),
  };
}
