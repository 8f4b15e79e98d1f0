/** The last boots of a machine: what happened when, and why one stopped. */
import { useMemo, useState } from 'react';
import { bootsIn, verdictOn, type StagedRecord } from '@tinkerbell/diagnosis/boots';
import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { EmptyPage } from '../parts/empty-page.tsx';
import { durationText } from '../parts/relative-time.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { Time } from '../parts/time.tsx';

import { waterfallOf, type Bar } from './waterfall.ts';

const BOOTS_SHOWN = 5;

interface Shown {
  readonly records: readonly JournalRecord[];
  /** The doctor has explained the newest boot. */
  readonly isExplained: boolean;
}

export function BootPanel({ records, isExplained }: Shown) {
  const boots = useMemo(() => bootsIn(records).slice(-BOOTS_SHOWN).toReversed(), [records]);
  const [chosen, setChosen] = useState(0);
  const boot = boots[Math.min(chosen, boots.length - 1)];
  if (boot === undefined)
    return (
      <EmptyPage title="The server has seen nothing of this machine">
        <p>Power it on with network boot first in its boot order. Its boot appears here while it happens.</p>
      </EmptyPage>
    );
  return (
    <section aria-label="Boots">
      {boots.length > 1 && (
        <div className="boot-choice" role="group" aria-label="Last boots">
          {boots.map((one, index) => (
            <button
              key={one[0]?.sequence}
              type="button"
              className="chip"
              aria-pressed={one === boot}
              onClick={() => setChosen(index)}
            >
              <Time at={one[0]?.atMs} /> <StateBadge state={verdictOn(one).state} />
            </button>
          ))}
        </div>
      )}
      {!(isExplained && boot === boots[0]) && <Verdict boot={boot} />}
      <Bars boot={boot} />
    </section>
  );
}

function Verdict({ boot }: { readonly boot: readonly StagedRecord[] }) {
  const { state, text, next } = verdictOn(boot);
  return (
    <div className={`verdict ${state}`}>
      <p className="verdict-text">
        <StateBadge state={state} /> {text}
      </p>
      {next !== undefined && <p className="verdict-next">Next: {next}</p>}
    </div>
  );
}

function Bars({ boot }: { readonly boot: readonly StagedRecord[] }) {
  const { bars, totalMs } = useMemo(() => waterfallOf(boot), [boot]);
  return (
    <div className="waterfall">
      <div className="waterfall-scale" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part}>{part === 0 ? '0' : durationText(totalMs * part)}</span>
        ))}
      </div>
      <ol>
        {bars.map((bar) => (
          <BarRow key={bar.key} bar={bar} />
        ))}
      </ol>
    </div>
  );
}

function BarRow({ bar }: { readonly bar: Bar }) {
  const { label, source, atMs, durationMs, start, width, message, isTrouble, count } = bar;
  return (
    <li className={isTrouble ? 'trouble' : ''} title={message}>
      <span className="bar-label">
        {label}
        {count > 1 && <span className="quiet"> ×{count}</span>}
      </span>
      <span className="bar-track" aria-hidden="true">
        <span
          className={`bar ${source}`}
          style={{ left: `${start * 100}%`, width: `${Math.min(width, 1 - start) * 100}%` }}
        />
      </span>
      <span className="bar-time">
        {durationMs > 0 ? `took ${durationText(durationMs)}` : `at ${durationText(atMs)}`}
      </span>
      <span className="bar-message">{message}</span>
    </li>
  );
}
