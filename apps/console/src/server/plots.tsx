import { lazy, Suspense, useMemo } from 'react';
import { bytesText } from '../parts/relative-time.ts';
import { clock, Time } from '../parts/time.tsx';
import { startIn, type History, type Point } from './history.ts';

const Plot = lazy(() => import('./plot.tsx'));

const perSecond = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)}/s`;
const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;

interface Plotted {
  readonly title: string;
  readonly of: Exclude<keyof Point, 'atMs'>;
  readonly format: (value: number) => string;
}

const plots: readonly Plotted[] = [
  { title: 'Memory', of: 'residentBytes', format: bytesText },
  { title: 'Processor', of: 'processorShare', format: percent },
  { title: 'Event loop busy', of: 'busyShare', format: percent },
  { title: 'HTTP requests', of: 'requestRate', format: perSecond },
  { title: 'DHCP messages', of: 'dhcpRate', format: perSecond },
  { title: 'Reports of agents', of: 'reportRate', format: perSecond },
];

/** The server keeps an hour, also while nobody looks. */
export function Plots({ history }: { readonly history: History }) {
  const { points } = history;
  const times = useMemo(() => points.map(({ atMs }) => atMs), [points]);
  return (
    <section className="card" aria-label="Plots">
      <h2>The last hour</h2>
      <p className="quiet">Times in {clock.zone}</p>
      <SinceStart history={history} />
      <Suspense fallback={<p className="waiting">Loading…</p>}>
        <div className="plots">
          {plots.map(({ title, of, format }) => (
            <PlotOf key={title} title={title} times={times} points={points} of={of} format={format} />
          ))}
        </div>
      </Suspense>
    </section>
  );
}

function SinceStart({ history }: { readonly history: History }) {
  const startMs = startIn(history);
  if (startMs === undefined) return null;
  return (
    <p className="quiet">
      The server started <Time at={startMs} />, and remembers nothing from before.
    </p>
  );
}

interface PlotOfProps extends Plotted {
  readonly times: readonly number[];
  readonly points: readonly Point[];
}

function PlotOf({ title, times, points, of, format }: PlotOfProps) {
  const values = useMemo(() => points.map((point) => point[of]), [points, of]);
  return <Plot title={title} times={times} points={values} format={format} />;
}
