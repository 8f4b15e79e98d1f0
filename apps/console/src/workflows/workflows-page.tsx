import { useMemo } from 'react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { workflows } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { DataTable } from '../parts/data-table.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { inNamespace } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { useNamespace } from '../shell/namespace.ts';
import { needsPerson, stateOf } from '../workflow/workflow-facts.ts';
import { keyOf, nameOf, workflowColumns } from './workflow-columns.tsx';

const states = [
  'needs a person',
  'RUNNING',
  'PENDING',
  'PREPARING',
  'SUCCESS',
  'FAILED',
  'TIMEOUT',
  'CANCELLED',
];

export function WorkflowsPage() {
  const namespace = useNamespace();
  const { items, isComplete, failure } = useObjects(workflows, { namespace });
  const { state = '', q = '', sort = '-created' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (next: Readonly<Record<string, string>>): void =>
    void navigate({ to: '/workflows', search: { state, q, sort, ...next }, replace: true });
  const rows = useMemo(
    () =>
      items.filter((workflow) => {
        const { name } = workflow.metadata;
        const text = `${name} ${workflow.spec?.hardwareRef} ${workflow.spec?.templateRef}`.toLowerCase();
        const isState =
          state === 'needs a person' ? needsPerson(workflow) : stateOf(workflow).startsWith(state);
        return isState && text.includes(q.toLowerCase());
      }),
    [items, state, q],
  );
  return (
    <div className="page tall">
      <PageHead title="Workflows" beside={<span className="count">{rows.length.toLocaleString()}</span>} />
      {failure !== undefined && <FailureText failure={failure} />}
      {items.length === 0 && isComplete && failure === undefined ? (
        <EmptyPage title="No workflow has run yet">
          <p>Start one from a template.</p>
          <Link to="/templates" className="button primary">
            Templates
          </Link>
        </EmptyPage>
      ) : (
        <>
          <Filters words={q} state={state} onChange={change} />
          <DataTable
            label="Workflows"
            columns={workflowColumns}
            rows={rows}
            keyOf={keyOf}
            nameOf={nameOf}
            sort={sort}
            onSort={(next) => change({ sort: next })}
          />
        </>
      )}
      <TinkCommand command={`tink get workflows${inNamespace(namespace)}`} />
    </div>
  );
}

interface FiltersProps {
  readonly words: string;
  readonly state: string;
  readonly onChange: (next: Readonly<Record<string, string>>) => void;
}

function Filters({ words, state, onChange }: FiltersProps) {
  return (
    <search className="filters">
      <input
        type="search"
        aria-label="Filter by name, machine or template"
        placeholder="Name, machine, template"
        value={words}
        onChange={(event) => onChange({ q: event.currentTarget.value })}
      />
      <select
        aria-label="State"
        value={state}
        onChange={(event) => onChange({ state: event.currentTarget.value })}
      >
        <option value="">Any state</option>
        {states.map((one) => (
          <option key={one} value={one}>
            {one.toLowerCase()}
          </option>
        ))}
      </select>
    </search>
  );
}
