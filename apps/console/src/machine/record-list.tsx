import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import { EmptyPage } from '../parts/empty-page.tsx';
import { Time } from '../parts/time.tsx';

const SHOWN_MAX = 500;

/** Records, newest first. */
export function RecordList({
  label,
  records,
}: {
  readonly label: string;
  readonly records: readonly JournalRecord[];
}) {
  if (records.length === 0)
    return (
      <EmptyPage title="Nothing has happened yet">
        <p>New records appear here by themselves.</p>
      </EmptyPage>
    );
  return (
    <ol className="records" aria-label={label}>
      {records
        .slice(-SHOWN_MAX)
        .toReversed()
        .map(({ sequence, atMs, source, event, message }) => (
          <li key={sequence}>
            <Time at={atMs} />
            <span className={`source ${source}`}>{source}</span>
            <span className="event">{event}</span>
            <span className="message">{message}</span>
          </li>
        ))}
    </ol>
  );
}
