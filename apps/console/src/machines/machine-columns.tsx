import { Link } from '@tanstack/react-router';
import type { Column } from '../parts/data-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Time } from '../parts/time.tsx';
import { bootCondition } from '../machine/boot-condition.ts';
import type { MachineRow } from './machine-row.ts';

/** At module scope, because the table compares them by identity. */
export const machineColumns: readonly Column<MachineRow>[] = [
  {
    id: 'name',
    title: 'Name',
    value: ({ name }) => name,
    cell: ({ namespace, name }) => (
      <Link to="/machines/$namespace/$name" params={{ namespace, name }} className="strong">
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    title: 'Workflow',
    value: ({ state }) => state,
    cell: ({ namespace, workflow, state }) =>
      workflow === '' ? (
        <span className="quiet">none</span>
      ) : (
        <Link to="/workflows/$namespace/$name" params={{ namespace, name: workflow }} className="plain-link">
          <StateBadge state={state} />
        </Link>
      ),
  },
  {
    id: 'health',
    title: 'Boot',
    value: ({ health }) => health,
    cell: ({ health, hardware }) => <BootHealth health={health} reason={bootCondition(hardware)?.reason} />,
  },
  {
    id: 'power',
    title: 'Power',
    value: ({ power }) => power,
    cell: ({ power }) => <StateBadge state={power} />,
  },
  { id: 'mac', title: 'MAC', value: ({ macs }) => macs.join(' '), className: 'mono' },
  { id: 'address', title: 'Address', value: ({ addresses }) => addresses.join(' '), className: 'mono' },
  {
    id: 'netboot',
    title: 'Netboot',
    value: ({ netboot }) => netboot,
    cell: ({ netboot }) => <span className={netboot === 'allowed' ? '' : 'quiet'}>{netboot}</span>,
  },
  {
    id: 'labels',
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
  { id: 'namespace', title: 'Namespace', value: ({ namespace }) => namespace },
  {
    id: 'age',
    title: 'Registered',
    value: ({ created }) => created,
    cell: ({ created }) => <Time at={created} />,
  },
];

function BootHealth({ health, reason }: { readonly health: string; readonly reason: string | undefined }) {
  if (health !== 'stopped') return <span className="quiet">{health}</span>;
  return <span className="badge bad">{reason}</span>;
}
