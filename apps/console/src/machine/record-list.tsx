import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { EmptyPage } from '../parts/empty-page.tsx';
import { clock, ClockTime, Time } from '../parts/time.tsx';

const SHOWN_MAX = 500;

/** Records, newest first. */
export function RecordList({
  label,
  records,
  isPlain = false,
}: {
  readonly label: string;
  readonly records: readonly JournalRecord[];
  /** True for records of one source and event. */
  readonly isPlain?: boolean;
}) {
  if (records.length === 0)
    return (
      <EmptyPage title="Nothing has happened yet">
        <p>New records appear here by themselves.</p>
      </EmptyPage>
    );
  return (
    <>
      <p className="records-head">
        Newest first, times in {clock.zone}
        {records.length > SHOWN_MAX && `. The newest ${SHOWN_MAX} of ${records.length.toLocaleString()}`}
      </p>
      <ol className={isPlain ? 'records plain' : 'records'} aria-label={label}>
        {records
          .slice(-SHOWN_MAX)
          .toReversed()
          .map(({ sequence, atMs, source, event, message }) => (
            <li key={sequence}>
              <ClockTime atMs={atMs} />
              <Time at={atMs} />
              {!isPlain && <span className="source">{source}</span>}
              {!isPlain && <span className="event">{event}</span>}
              <span className="message">{message}</span>
            </li>
          ))}
      </ol>
    </>
  );
}
