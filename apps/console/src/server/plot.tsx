/** One plot of a metric over time. uPlot loads with the first. */
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

interface PlotProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly points: readonly number[];
  readonly format: (value: number) => string;
}

const HEIGHT = 150;
/** The first readings do not fill the width. */
const SECONDS_MIN = 60;

// oxlint-disable-next-line import/no-default-export -- React.lazy reads the default export
export default function Plot({ title, times, points, format }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef(format);
  latest.current = format;
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const made = new UPlot(
      optionsOf(parent, (value) => latest.current(value)),
      [[], []],
      parent,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => {
    const shown = plot.current;
    const seconds = times.map((ms) => ms / 1000);
    const [first = 0, last = 0] = [seconds[0], seconds.at(-1)];
    shown?.batch(() => {
      shown.setData([seconds, [...points]], false);
      shown.setScale('x', { min: Math.min(first, last - SECONDS_MIN), max: last });
    });
  }, [times, points]);
  const last = points.at(-1);
  return (
    <figure className="plot">
      <figcaption>
        {title} <strong>{last === undefined ? '–' : format(last)}</strong>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}

function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], { hourCycle: 'h23' });
}

/** Colours come from the theme at the time when the page is opened. */
function optionsOf(parent: HTMLElement, format: (value: number) => string): UPlot.Options {
  const style = getComputedStyle(parent);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `12px ${colour('--font')}`;
  const axis = {
    stroke: colour('--quiet'),
    font,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: parent.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.15 : 1] },
    },
    axes: [
      { ...axis, space: 90, values: (_plot, seconds) => seconds.map(clockTime) },
      { ...axis, size: 70, values: (_plot, values) => values.map(format) },
    ],
    series: [{}, { stroke: colour('--accent'), fill: colour('--accent-soft'), width: 1.5, spanGaps: false }],
  };
}
