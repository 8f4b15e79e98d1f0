/** One plot of a metric over time. uPlot loads with the first. */
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

interface PlotProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly points: readonly (number | null)[];
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
    plot.current?.setData([times.map((ms) => ms / 1000), [...points]]);
  }, [times, points]);
  const last = points.findLast((one) => one !== null);
  return (
    <figure className="plot">
      <figcaption>
        {title} <strong>{last === undefined || last === null ? '–' : format(last)}</strong>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
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
      x: { range: (_plot, min, max) => [Math.min(min, max - SECONDS_MIN), max] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.15 : 1] },
    },
    axes: [
      { ...axis, space: 80 },
      { ...axis, size: 70, values: (_plot, values) => values.map(format) },
    ],
    series: [{}, { stroke: colour('--accent'), fill: colour('--accent-soft'), width: 1.5, spanGaps: false }],
  };
}
