/** Who may do what, to read. `tink token` and kubectl change it. */
import type { BindingResource } from '@tinkerbell/resources';
import { clusterRoleBindings, roleBindings, serviceAccounts } from '../api/kinds.ts';
import { useObjects, type Objects } from '../api/use-objects.ts';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { TinkCommand } from '../parts/tink-command.tsx';
import { Time } from '../parts/time.tsx';
import { useNamespace } from '../shell/namespace.ts';

export function AccessPage() {
  const namespace = useNamespace();
  const accounts = useObjects(serviceAccounts, { namespace });
  const bindings = useObjects(roleBindings, { namespace });
  const ofCluster = useObjects(clusterRoleBindings, { namespace: '' });
  return (
    <div className="page">
      <PageHead title="Access" />
      <div className="columns wide">
        <section className="card">
          <h2>Accounts</h2>
          {accounts.failure !== undefined && <FailureText failure={accounts.failure} />}
          {accounts.items.length === 0 && accounts.isComplete && (
            <p className="quiet">No account has been created.</p>
          )}
          <ul className="rows">
            {accounts.items.map(({ metadata }) => (
              <li key={metadata.uid}>
                <span className="strong">{metadata.name}</span>
                <span className="quiet">{metadata.namespace}</span>
                <span className="row-end quiet">
                  created <Time at={metadata.creationTimestamp} />
                </span>
              </li>
            ))}
          </ul>
          <TinkCommand command="tink token create NAME --role view" />
        </section>
        <Bindings title="Roles in all namespaces" bindings={ofCluster} />
        <Bindings title="Roles in one namespace" bindings={bindings} />
      </div>
    </div>
  );
}

const SUBJECTS: Readonly<Record<string, string>> = {
  ServiceAccount: 'account',
  User: 'user',
  Group: 'group',
};

function Bindings({
  title,
  bindings,
}: {
  readonly title: string;
  readonly bindings: Objects<BindingResource>;
}) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {bindings.failure !== undefined && <FailureText failure={bindings.failure} />}
      {bindings.items.length === 0 && bindings.isComplete && bindings.failure === undefined && (
        <p className="quiet">No role is granted here.</p>
      )}
      <ul className="rows">
        {bindings.items.map(({ metadata, roleRef, subjects = [] }) => (
          <li key={metadata.uid ?? metadata.name}>
            <span className="strong">{roleRef.name}</span>
            <span className="row-text">
              {subjects.map(({ kind, name }) => `${SUBJECTS[kind] ?? kind} ${name}`).join(', ')}
            </span>
            <span className="quiet">{metadata.namespace}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
