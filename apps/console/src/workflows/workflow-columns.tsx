import type { Workflow } from '@tinkerbell/resources';
import type { Column } from '../parts/data-table.tsx';
import { RowLink } from '../parts/row-link.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Time } from '../parts/time.tsx';
import { progressOf, stateOf, troubleOf } from '../workflow/workflow-facts.ts';

export const keyOf = ({ metadata: { namespace, name } }: Workflow): string => `${namespace}/${name}`;
export const nameOf = ({ metadata: { name } }: Workflow): string => name;

export const workflowColumns: readonly Column<Workflow>[] = [
  {
    id: 'name',
    width: 170,
    title: 'Name',
    value: nameOf,
    cell: ({ metadata: { namespace, name } }) => (
      <RowLink to={['workflows', namespace, name]} className="strong">
        {name}
      </RowLink>
    ),
  },
  {
    id: 'state',
    width: 152,
    title: 'State',
    value: stateOf,
    cell: (workflow) => <StateBadge state={stateOf(workflow)} />,
  },
  {
    id: 'machine',
    width: 120,
    leaves: 5,
    title: 'Machine',
    value: ({ spec }) => spec?.hardwareRef ?? '',
    cell: ({ metadata: { namespace }, spec }) =>
      spec?.hardwareRef === undefined ? (
        <span className="quiet">–</span>
      ) : (
        <RowLink to={['machines', namespace, spec.hardwareRef]}>{spec.hardwareRef}</RowLink>
      ),
  },
  { id: 'template', width: 110, leaves: 3, title: 'Template', value: ({ spec }) => spec?.templateRef ?? '' },
  {
    id: 'progress',
    width: 120,
    leaves: 4,
    title: 'Actions',
    value: (workflow) => progressOf(workflow).done,
    cell: (workflow) => {
      const { done, all } = progressOf(workflow);
      return (
        <span className="mini-progress">
          <progress value={done} max={Math.max(1, all)} aria-label="Actions done" /> {done}/{all}
        </span>
      );
    },
  },
  {
    id: 'trouble',
    width: 260,
    share: 360,
    leaves: 2,
    title: 'What is wrong',
    value: troubleOf,
    className: 'wide-text',
  },
  {
    id: 'created',
    width: 104,
    leaves: 1,
    title: 'Created',
    value: ({ metadata }) => metadata.creationTimestamp ?? '',
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];
