import { Link } from '@tanstack/react-router';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { EmptyPage } from '../parts/empty-page.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Time } from '../parts/time.tsx';
import { progressOf, stateOf, troubleOf } from '../workflow/workflow-facts.ts';

interface WorkflowsPanelProps {
  readonly machine: Hardware;
  readonly workflows: readonly Workflow[];
}

export function WorkflowsPanel({ machine, workflows }: WorkflowsPanelProps) {
  const own = workflows
    .filter(({ spec }) => spec?.hardwareRef === machine.metadata.name)
    .toSorted((one, other) => createdAt(other).localeCompare(createdAt(one)));
  if (own.length === 0)
    return (
      <EmptyPage title="No workflow runs on this machine">
        <p>Open a template to start one.</p>
        <Link to="/templates" className="button primary">
          Templates
        </Link>
      </EmptyPage>
    );
  return (
    <ul className="rows">
      {own.map((workflow) => {
        const { namespace, name, creationTimestamp } = workflow.metadata;
        const { done, all } = progressOf(workflow);
        return (
          <li key={name}>
            <Link to="/workflows/$namespace/$name" params={{ namespace, name }} className="strong">
              {name}
            </Link>
            <StateBadge state={stateOf(workflow)} />
            <span className="quiet">
              {done} of {all} actions
            </span>
            <span className="row-text">{troubleOf(workflow)}</span>
            <Time at={creationTimestamp} />
          </li>
        );
      })}
    </ul>
  );
}

function createdAt({ metadata }: Workflow): string {
  return metadata.creationTimestamp ?? '';
}
