/** What happens now, and what needs a person. */
import { useMemo } from 'react';
import { Link } from '@tanstack/react-router';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { hardware, workflows } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { bootCondition } from '../machine/boot-condition.ts';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { inNamespace } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { Time } from '../parts/time.tsx';
import { useNamespace } from '../shell/namespace.ts';
import { needsPerson, progressOf, stateOf, troubleOf } from '../workflow/workflow-facts.ts';
import { isStopped, StoppedMachines } from './stopped-machines.tsx';
import { UnknownCard } from './unknown-card.tsx';
import { WarningCard } from './warning-card.tsx';

const SHOWN_MAX = 8;

export function OverviewPage() {
  const namespace = useNamespace();
  const works = useObjects(workflows, { namespace });
  const machines = useObjects(hardware, { namespace });
  const newestFirst = useMemo(
    () => works.items.toSorted((one, other) => createdAt(other).localeCompare(createdAt(one))),
    [works.items],
  );
  const running = newestFirst.filter((one) => ['RUNNING', 'PREPARING', 'POST'].includes(stateOf(one)));
  const stuck = newestFirst.filter(needsPerson);
  const stopped = machines.items.filter((one) => isStopped(one) && !isInRows(one, stuck));
  const isEmpty = machines.isComplete && machines.items.length === 0 && machines.failure === undefined;
  return (
    <div className="page">
      <PageHead title="Overview" />
      {works.failure !== undefined && <FailureText failure={works.failure} />}
      <Counts machines={machines.items.length} works={works.items} />
      {isEmpty && (
        <EmptyPage title="Register your first machine">
          <p>You need its MAC and an address. Or power it on: machines that ask to boot are listed below.</p>
          <Link to="/new-machine" className="button primary">
            Register a machine
          </Link>
        </EmptyPage>
      )}
      <div className="columns wide">
        <section className="card">
          <h2>Needs a person</h2>
          {stopped.length > 0 && <StoppedMachines machines={stopped} />}
          {(stuck.length > 0 || stopped.length === 0) && (
            <WorkflowRows workflows={stuck} none="Nothing waits for you." />
          )}
          {stuck.length > SHOWN_MAX && (
            <Link to="/workflows" search={{ state: 'needs a person' }}>
              All {stuck.length}
            </Link>
          )}
        </section>
        <section className="card">
          <h2>Running now</h2>
          <WorkflowRows workflows={running} none="No workflow runs." />
        </section>
        <WarningCard namespace={namespace} />
        <UnknownCard />
      </div>
      <TinkCommand command={`tink get workflows${inNamespace(namespace)}`} />
    </div>
  );
}

function Counts({ machines, works }: { readonly machines: number; readonly works: readonly Workflow[] }) {
  const counts = new Map<string, number>();
  for (const workflow of works) {
    const state = stateOf(workflow);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return (
    <ul className="counts" aria-label="Counts by state">
      <li>
        <Link to="/machines">
          <strong>{machines.toLocaleString()}</strong>
          <span>{machines === 1 ? 'machine' : 'machines'}</span>
        </Link>
      </li>
      <li>
        <Link to="/workflows">
          <strong>{works.length.toLocaleString()}</strong>
          <span>{works.length === 1 ? 'workflow' : 'workflows'}</span>
        </Link>
      </li>
      {[...counts].toSorted().map(([state, count]) => (
        <li key={state}>
          <Link to="/workflows" search={{ state }}>
            <strong>{count.toLocaleString()}</strong>
            <StateBadge state={state} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function WorkflowRows({
  workflows: rows,
  none,
}: {
  readonly workflows: readonly Workflow[];
  readonly none: string;
}) {
  if (rows.length === 0) return <p className="quiet">{none}</p>;
  return (
    <ul className="rows">
      {rows.slice(0, SHOWN_MAX).map((workflow) => {
        const { namespace, name, uid } = workflow.metadata;
        const { done, all } = progressOf(workflow);
        const action = workflow.status?.currentState?.actionName ?? '';
        return (
          <li key={uid}>
            <Link to="/workflows/$namespace/$name" params={{ namespace, name }} className="strong">
              {name}
            </Link>
            <StateBadge state={stateOf(workflow)} />
            <span className="quiet">
              {done} of {all} actions
            </span>
            <span className="row-text">{troubleOf(workflow) || action}</span>
            <Time at={workflow.metadata.creationTimestamp} />
          </li>
        );
      })}
    </ul>
  );
}

/** Its failed action is shown with the workflow, so the machine is not shown as well. */
function isInRows(machine: Hardware, rows: readonly Workflow[]): boolean {
  const { namespace, name } = machine.metadata;
  return (
    bootCondition(machine)?.reason === 'ActionFailed' &&
    rows.some(({ metadata, spec }) => metadata.namespace === namespace && spec?.hardwareRef === name)
  );
}

function createdAt({ metadata }: Workflow): string {
  return metadata.creationTimestamp ?? '';
}
