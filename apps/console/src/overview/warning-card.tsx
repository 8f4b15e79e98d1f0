/** What stopped boots and other machines' trouble: the Events of type Warning, which the server writes from timelines. */
import { useMemo } from 'react';
import { Link } from '@tanstack/react-router';
import { events } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { Time } from '../parts/time.tsx';

const SHOWN_MAX = 8;

export function WarningCard({ namespace }: { readonly namespace: string }) {
  const { items, failure } = useObjects(events, { namespace });
  const warnings = useMemo(
    () =>
      items
        .filter(({ type, involvedObject }) => type === 'Warning' && involvedObject?.kind === 'Hardware')
        .toSorted((one, other) => (other.lastTimestamp ?? '').localeCompare(one.lastTimestamp ?? ''))
        .slice(0, SHOWN_MAX),
    [items],
  );
  return (
    <section className="card">
      <h2>Warnings</h2>
      {warnings.length === 0 && (
        <p className="quiet">{failure === undefined ? 'No machine has a problem.' : failure.message}</p>
      )}
      <ul className="rows">
        {warnings.map(({ metadata, involvedObject, reason, message, lastTimestamp }) => (
          <li key={metadata.uid}>
            <Link
              to="/machines/$namespace/$name"
              params={{ namespace: involvedObject?.namespace ?? '', name: involvedObject?.name ?? '' }}
              className="strong"
            >
              {involvedObject?.name}
            </Link>
            <span className="badge warn">{reason}</span>
            <span className="row-text" title={message}>
              {message}
            </span>
            <Time at={lastTimestamp} />
          </li>
        ))}
      </ul>
    </section>
  );
}
