import { useMemo } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { BmcMachine, Hardware } from '@tinkerbell/resources';
import { bmcMachines, hardware } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { RowLink } from '../parts/row-link.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { inNamespace } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { useNamespace } from '../shell/namespace.ts';

type BmcRow = BmcMachine & { readonly machine: string };

const columns: readonly Column<BmcRow>[] = [
  { id: 'name', width: 140, title: 'Name', value: ({ metadata }) => metadata.name, className: 'strong' },
  {
    id: 'host',
    width: 150,
    leaves: 2,
    title: 'Host',
    value: ({ spec }) => spec?.connection.host ?? '',
    className: 'mono',
  },
  {
    id: 'machine',
    width: 140,
    leaves: 4,
    title: 'Machine',
    value: ({ machine }) => machine,
    cell: ({ metadata: { namespace }, machine }) =>
      machine === '' ? (
        <span className="quiet">none</span>
      ) : (
        <RowLink to={['machines', namespace, machine]}>{machine}</RowLink>
      ),
  },
  {
    id: 'power',
    width: 104,
    leaves: 3,
    title: 'Power',
    value: ({ status }) => status?.powerState ?? '',
    cell: ({ status }) => <StateBadge state={status?.powerState ?? ''} />,
  },
  {
    id: 'contactable',
    width: 200,
    share: 460,
    leaves: 5,
    title: 'Answers the server',
    value: (bmc) => contactOf(bmc)?.status ?? '',
    cell: (bmc) => <span title={contactOf(bmc)?.message}>{answerText(bmc)}</span>,
  },
  {
    id: 'namespace',
    width: 120,
    leaves: 1,
    title: 'Namespace',
    value: ({ metadata }) => metadata.namespace ?? '',
  },
];
const keyOf = ({ metadata: { namespace, name } }: BmcRow): string => `${namespace}/${name}`;

export function BmcsPage() {
  const namespace = useNamespace();
  const { items, isComplete, failure } = useObjects(bmcMachines, { namespace });
  const { sort = 'name' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { items: machines } = useObjects(hardware, { namespace });
  const rows = useMemo(() => withMachines(items, machines), [items, machines]);
  return (
    <div className="page tall">
      <PageHead title="BMCs" beside={<span className="count">{rows.length}</span>} />
      {failure !== undefined && <FailureText failure={failure} />}
      {rows.length === 0 && isComplete && failure === undefined ? (
        <EmptyPage title="No BMC is registered">
          <p>A BMC switches the power of a machine and shows its console. This finds those of a network:</p>
          <code>tink bmc discover --manifests</code>
        </EmptyPage>
      ) : (
        <DataTable
          label="BMCs"
          columns={columns}
          rows={rows}
          keyOf={keyOf}
          sort={sort}
          onSort={(next) => void navigate({ to: '/bmcs', search: { sort: next }, replace: true })}
        />
      )}
      <TinkCommand command={`tink get machines${inNamespace(namespace)}`} />
    </div>
  );
}

/** The machine whose BMC it is. */
function withMachines(bmcs: readonly BmcMachine[], machines: readonly Hardware[]): readonly BmcRow[] {
  const owners = new Map(
    machines.map(({ metadata: { namespace, name }, spec }) => [`${namespace}/${spec?.bmcRef?.name}`, name]),
  );
  return bmcs.map((bmc) => {
    const { namespace, name } = bmc.metadata;
    return { ...bmc, machine: owners.get(`${namespace}/${name}`) ?? '' };
  });
}

function contactOf({ status }: BmcMachine) {
  return status?.conditions?.find(({ type }) => type === 'Contactable');
}

function answerText(bmc: BmcMachine): string {
  const found = contactOf(bmc);
  if (found === undefined) return 'not asked yet';
  return found.status === 'True' ? 'yes' : `no: ${found.message ?? ''}`;
}
