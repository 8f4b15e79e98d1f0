/** All machines: filters in the address, columns, and operations on many of them. */
import { useMemo, useRef, useState } from 'react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Hardware } from '@tinkerbell/resources';
import { bmcMachines, hardware, workflows } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { DataTable } from '../parts/data-table.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { inNamespace } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { useNamespace } from '../shell/namespace.ts';
import { BulkBar } from './bulk-bar.tsx';
import { machineColumns } from './machine-columns.tsx';
import { rememberColumns, rememberedColumns } from './column-memory.ts';
import { filtered, filterFrom, searchOf, type MachineFilter } from './machine-filter.ts';
import { MachineFilters } from './machine-filters.tsx';
import { machineRows, type MachineRow } from './machine-row.ts';

export function MachinesPage() {
  const namespace = useNamespace();
  const list = useObjects(hardware, { namespace });
  const { items: works } = useObjects(workflows, { namespace });
  const { items: bmcs } = useObjects(bmcMachines, { namespace });
  const rows = useRows(list.items, { workflows: works, bmcs });
  const filter = filterFrom(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (next: Partial<MachineFilter>): void => {
    if ('hidden' in next) rememberColumns(next.hidden);
    // What is changed is not that view any longer.
    void navigate({ to: '/machines', search: searchOf({ ...filter, view: '', ...next }), replace: true });
  };
  const hidden = filter.hidden ?? (filter.view === '' ? rememberedColumns() : undefined);
  /** Its columns are in the address from now on, and not those that are remembered. */
  const showView = (view: string): void =>
    void navigate({ to: '/machines', search: searchOf({ ...filter, hidden, view }), replace: true });
  const search = JSON.stringify(searchOf(filter));
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `search` stands for the filter
  const shown = useMemo(() => filtered(rows, filter), [rows, search]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = useMemo(() => shown.filter(({ key }) => selected.has(key)), [shown, selected]);
  return (
    <div className="page tall">
      <PageHead
        title="Machines"
        beside={<span className="count">{countText(shown, rows, list.isComplete)}</span>}
        actions={
          <Link to="/new-machine" className="button primary">
            New machine
          </Link>
        }
      />
      {list.failure !== undefined && <FailureText failure={list.failure} />}
      {rows.length === 0 && list.isComplete && list.failure === undefined ? (
        <NoMachines />
      ) : (
        <>
          <MachineFilters filter={{ ...filter, hidden }} onChange={change} onSaved={showView} />
          <BulkBar rows={chosen} onClear={() => setSelected(new Set())} />
          <DataTable
            label="Machines"
            columns={machineColumns}
            rows={shown}
            keyOf={keyOf}
            nameOf={nameOf}
            sort={filter.sort}
            onSort={(sort) => change({ sort })}
            hidden={hidden}
            selection={{ keys: selected, change: setSelected }}
          />
        </>
      )}
      <TinkCommand command={`tink get hardware${inNamespace(namespace)}`} />
    </div>
  );
}

function NoMachines() {
  return (
    <EmptyPage title="No machine is registered">
      <p>Register the first one, or let the server find machines that ask to boot.</p>
      <Link to="/new-machine" className="button primary">
        Register a machine
      </Link>
    </EmptyPage>
  );
}

function useRows(items: readonly Hardware[], { workflows: works, bmcs }: Parameters<typeof machineRows>[1]) {
  const last = useRef<readonly MachineRow[]>([]);
  return useMemo(() => {
    last.current = machineRows(items, { workflows: works, bmcs }, last.current);
    return last.current;
  }, [items, works, bmcs]);
}

const keyOf = ({ key }: MachineRow): string => key;
const nameOf = ({ name }: MachineRow): string => name;

function countText(shown: readonly MachineRow[], rows: readonly MachineRow[], isComplete: boolean): string {
  const all = `${rows.length.toLocaleString()}${isComplete ? '' : ' …'}`;
  return shown.length === rows.length ? all : `${shown.length.toLocaleString()} of ${all}`;
}
