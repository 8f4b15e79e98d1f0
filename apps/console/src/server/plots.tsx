import { lazy, Suspense, useMemo } from 'react';
import { bytesText, durationText } from '../parts/relative-time.ts';
import { pointsOf, type Plotted, type Reading } from './readings.ts';

const Plot = lazy(() => import('./plot.tsx'));

const perSecond = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)}/s`;

const plots: readonly (Plotted & { readonly title: string; readonly format: (value: number) => string })[] = [
  { title: 'Memory', metric: 'process_resident_memory_bytes', isRate: false, format: bytesText },
  {
    title: 'Processor',
    metric: 'process_cpu_seconds_total',
    isRate: true,
    format: (value) => `${(value * 100).toFixed(0)} %`,
  },
  {
    title: 'Event loop, 99 %',
    metric: 'nodejs_eventloop_lag_p99_seconds',
    isRate: false,
    format: (value) => durationText(value * 1000),
  },
  { title: 'HTTP requests', metric: 'http_server_requests_total', isRate: true, format: perSecond },
  { title: 'DHCP messages', metric: 'dhcp_total', isRate: true, format: perSecond },
  { title: 'Reports of agents', metric: 'tink_server_reports_total', isRate: true, format: perSecond },
];

/** The last hour, as far as this browser has seen it. */
export function Plots({ readings }: { readonly readings: readonly Reading[] }) {
  const times = useMemo(() => readings.map(({ atMs }) => atMs), [readings]);
  return (
    <section className="card" aria-label="Plots">
      <h2>Since this page was opened</h2>
      <Suspense fallback={<p className="waiting">Loading…</p>}>
        <div className="plots">
          {plots.map((one) => (
            <Plot
              key={one.title}
              title={one.title}
              times={times}
              points={pointsOf(readings, one)}
              format={one.format}
            />
          ))}
        </div>
      </Suspense>
    </section>
  );
}
