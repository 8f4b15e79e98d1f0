import { useMemo } from 'react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Template } from '@tinkerbell/resources';
import { templates, workflows } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { inNamespace } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { Time } from '../parts/time.tsx';
import { useNamespace } from '../shell/namespace.ts';

type TemplateRow = Template & { readonly uses: number };

const columns: readonly Column<TemplateRow>[] = [
  {
    id: 'name',
    width: 160,
    title: 'Name',
    value: ({ metadata }) => metadata.name,
    cell: ({ metadata: { namespace, name } }) => (
      <Link to="/templates/$namespace/$name" params={{ namespace, name }} className="strong">
        {name}
      </Link>
    ),
  },
  {
    id: 'namespace',
    width: 120,
    leaves: 3,
    title: 'Namespace',
    value: ({ metadata }) => metadata.namespace ?? '',
  },
  { id: 'uses', width: 100, title: 'Workflows', value: ({ uses }) => uses },
  {
    id: 'lines',
    width: 80,
    leaves: 1,
    title: 'Lines',
    value: ({ spec }) => (spec?.data ?? '').split('\n').length,
  },
  {
    id: 'created',
    width: 110,
    leaves: 2,
    title: 'Created',
    value: ({ metadata }) => metadata.creationTimestamp ?? '',
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];
const keyOf = ({ metadata: { namespace, name } }: TemplateRow): string => `${namespace}/${name}`;

export function TemplatesPage() {
  const namespace = useNamespace();
  const { items, isComplete, failure } = useObjects(templates, { namespace });
  const { items: works } = useObjects(workflows, { namespace });
  const { sort = 'name' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const rows = useMemo(() => withUses(items, works), [items, works]);
  const newTemplate = (
    <Link
      to="/templates/$namespace/$name"
      params={{ namespace: namespace || 'default', name: 'new' }}
      search={{ create: 'yes' }}
      className="button primary"
    >
      New template
    </Link>
  );
  return (
    <div className="page tall">
      <PageHead
        title="Templates"
        beside={<span className="count">{rows.length}</span>}
        actions={newTemplate}
      />
      {failure !== undefined && <FailureText failure={failure} />}
      {rows.length === 0 && isComplete && failure === undefined ? (
        <EmptyPage title="There is no template">
          <p>
            A template says what is done on a machine. Write one here, or apply an example of the checkout:
          </p>
          <code>tink apply -f examples/debian</code>
        </EmptyPage>
      ) : (
        <DataTable
          label="Templates"
          columns={columns}
          rows={rows}
          keyOf={keyOf}
          sort={sort}
          onSort={(next) => void navigate({ to: '/templates', search: { sort: next }, replace: true })}
        />
      )}
      <TinkCommand command={`tink get templates${inNamespace(namespace)}`} />
    </div>
  );
}

function withUses(
  items: readonly Template[],
  works: readonly {
    readonly metadata: Template['metadata'];
    readonly spec?: { readonly templateRef?: string };
  }[],
): readonly TemplateRow[] {
  const uses = new Map<string, number>();
  for (const { metadata, spec } of works) {
    const key = `${metadata.namespace}/${spec?.templateRef}`;
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  return items.map((one) => ({
    ...one,
    uses: uses.get(`${one.metadata.namespace}/${one.metadata.name}`) ?? 0,
  }));
}
