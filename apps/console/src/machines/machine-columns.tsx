import type { Column } from '../parts/data-table.tsx';
import { RowLink } from '../parts/row-link.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Time } from '../parts/time.tsx';
import { bootCondition } from '../machine/boot-condition.ts';
import type { MachineRow } from './machine-row.ts';

/** At module scope, because the table compares them by identity. */
export const machineColumns: readonly Column<MachineRow>[] = [
  {
    id: 'name',
    width: 140,
    title: 'Name',
    value: ({ name }) => name,
    cell: ({ namespace, name }) => (
      <RowLink to={['machines', namespace, name]} className="strong">
        {name}
      </RowLink>
    ),
  },
  {
    id: 'state',
    width: 152,
    title: 'Workflow',
    value: ({ state }) => state,
    cell: ({ namespace, workflow, state }) =>
      workflow === '' ? (
        <span className="quiet">–</span>
      ) : (
        <RowLink to={['workflows', namespace, workflow]} className="plain-link">
          <StateBadge state={state} />
        </RowLink>
      ),
  },
  {
    id: 'health',
    width: 140,
    leaves: 6,
    title: 'Boot',
    value: ({ health }) => health,
    cell: ({ health, hardware }) => <BootHealth health={health} reason={bootCondition(hardware)?.reason} />,
  },
  {
    id: 'power',
    width: 104,
    leaves: 4,
    title: 'Power',
    value: ({ power }) => power,
    cell: ({ power }) => <StateBadge state={power} />,
  },
  { id: 'mac', width: 160, leaves: 7, title: 'MAC', value: ({ macs }) => macs.join(' '), className: 'mono' },
  {
    id: 'address',
    width: 136,
    leaves: 8,
    title: 'Address',
    value: ({ addresses }) => addresses.join(' '),
    className: 'mono',
  },
  {
    id: 'netboot',
    width: 90,
    leaves: 2,
    title: 'Netboot',
    value: ({ netboot }) => netboot,
    cell: ({ netboot }) => <span className={netboot === 'allowed' ? '' : 'quiet'}>{netboot}</span>,
  },
  {
    id: 'labels',
    width: 180,
    leaves: 5,
    title: 'Labels',
    value: ({ labels }) => labels.map((label) => label.join('=')).join(' '),
    cell: ({ labels }) => (
      <span className="labels">
        {labels.map(([name, value]) => (
          <span key={name} className="label" title={`${name}=${value}`}>
            {name.slice(name.lastIndexOf('/') + 1)}={value}
          </span>
        ))}
      </span>
    ),
  },
  { id: 'namespace', width: 110, leaves: 1, title: 'Namespace', value: ({ namespace }) => namespace },
  {
    id: 'age',
    width: 108,
    leaves: 3,
    title: 'Registered',
    value: ({ created }) => created,
    cell: ({ created }) => <Time at={created} />,
  },
];

function BootHealth({ health, reason }: { readonly health: string; readonly reason: string | undefined }) {
  if (health !== 'stopped') return <span className="quiet">{health || '–'}</span>;
  return (
    <span className="badge bad" title={reason}>
      {reason}
    </span>
  );
}
