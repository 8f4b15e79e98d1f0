/** Every write over the API, with who, when and what came of it. */
import { useMemo, useState } from 'react';
import { useRecords } from '../api/use-records.ts';
import { FailureText } from '../parts/failure-text.tsx';
import { RecordList } from '../machine/record-list.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { auditText } from './audit-text.ts';

export function AuditPage() {
  const { records, failure } = useRecords('/audit');
  const [words, setWords] = useState('');
  const shown = useMemo(
    () =>
      records
        .map((record) => ({ ...record, message: auditText(record) }))
        .filter(({ message }) => message.toLowerCase().includes(words.toLowerCase())),
    [records, words],
  );
  return (
    <div className="page">
      <PageHead title="Audit" beside={<span className="count">{shown.length}</span>} />
      {failure !== undefined && <FailureText failure={failure} />}
      <search className="filters">
        <input
          type="search"
          aria-label="Filter by user, object or address"
          placeholder="User, object, address"
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      </search>
      {shown.length === 0 && records.length > 0 ? (
        <EmptyPage title="No write matches">
          <p>Change the filter to see others.</p>
        </EmptyPage>
      ) : (
        <RecordList label="Writes over the API" records={shown} isPlain />
      )}
      <TinkCommand command="tink audit -w" />
    </div>
  );
}
