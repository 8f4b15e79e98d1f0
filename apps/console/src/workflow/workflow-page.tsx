/** One workflow: its actions with their output, and everything that an operator can do with it. */
import { useState } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import type { Workflow } from '@tinkerbell/resources';
import { pathOf, workflows } from '../api/kinds.ts';
import { useObjects } from '../api/use-objects.ts';
import { useRecords } from '../api/use-records.ts';
import { EmptyPage } from '../parts/empty-page.tsx';
import { FailureText } from '../parts/failure-text.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import { TinkCommand } from '../parts/tink-command.tsx';
import { Time } from '../parts/time.tsx';
import { ActionList } from './action-list.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { OperateButtons } from './operate-buttons.tsx';
import { OperateDialog } from './operate-dialog.tsx';
import type { Wish } from './operations.ts';
import { RunBeforeCard } from './run-before-card.tsx';
import { progressOf, stateOf, troubleOf, type PlacedAction } from './workflow-facts.ts';

export function WorkflowPage() {
  const { namespace = '', name = '' } = useParams({ strict: false });
  const { items, isComplete, failure } = useObjects(workflows, { namespace, name });
  const workflow = items[0];
  if (failure !== undefined) return <FailureText failure={failure} />;
  if (workflow === undefined)
    return isComplete ? (
      <EmptyPage title={`There is no workflow ${name} in ${namespace}`}>
        <Link to="/workflows">All workflows</Link>
      </EmptyPage>
    ) : (
      <p className="waiting">Loading…</p>
    );
  return <OneWorkflow workflow={workflow} />;
}

function OneWorkflow({ workflow }: { readonly workflow: Workflow }) {
  const { namespace, name } = workflow.metadata;
  const { records } = useRecords(`${pathOf(workflows, namespace, name)}/log`, 'follow');
  const [wish, setWish] = useState<Wish>();
  const [edited, setEdited] = useState<PlacedAction>();
  const { done, all } = progressOf(workflow);
  const trouble = troubleOf(workflow);
  return (
    <div className="page">
      <PageHead
        title={name}
        above={
          <>
            <Link to="/workflows">Workflows</Link> / {namespace}
          </>
        }
        beside={<StateBadge state={stateOf(workflow)} />}
        actions={<OperateButtons workflow={workflow} onWish={setWish} />}
      />
      <dl className="fact-line">
        <div>
          <dt>Machine</dt>
          <dd>
            <MachineLink workflow={workflow} />
          </dd>
        </div>
        <div>
          <dt>Template</dt>
          <dd>
            <TemplateLink workflow={workflow} />
          </dd>
        </div>
        <div>
          <dt>Actions</dt>
          <dd>
            {done} of {all}
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={workflow.metadata.creationTimestamp} />
          </dd>
        </div>
      </dl>
      {trouble !== '' && <p className="trouble-line">{trouble}</p>}
      {all > 0 && <progress className="thin" value={done} max={all} aria-label="Actions done" />}
      <ActionList workflow={workflow} records={records} onWish={setWish} onEdit={setEdited} />
      <RunBeforeCard workflow={workflow} />
      <Operations workflow={workflow} />
      <TinkCommand command={`tink describe workflow ${shellWord(name)}${inNamespace(namespace)}`} />
      {wish !== undefined && (
        <OperateDialog workflow={workflow} wish={wish} onClose={() => setWish(undefined)} />
      )}
      {edited !== undefined && (
        <EditDialog workflow={workflow} placed={edited} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}

function MachineLink({ workflow: { metadata, spec } }: { readonly workflow: Workflow }) {
  const name = spec?.hardwareRef;
  if (name === undefined) return <span className="quiet">–</span>;
  return (
    <Link to="/machines/$namespace/$name" params={{ namespace: metadata.namespace ?? '', name }}>
      {name}
    </Link>
  );
}

function TemplateLink({ workflow: { metadata, spec } }: { readonly workflow: Workflow }) {
  const name = spec?.templateRef;
  if (name === undefined) return <span className="quiet">–</span>;
  return (
    <Link to="/templates/$namespace/$name" params={{ namespace: metadata.namespace ?? '', name }}>
      {name}
    </Link>
  );
}

function Operations({ workflow }: { readonly workflow: Workflow }) {
  const operations = workflow.status?.operations ?? [];
  if (operations.length === 0) return null;
  return (
    <section className="card">
      <h2>What operators did</h2>
      <ul className="rows">
        {operations.toReversed().map(({ time, verb, who, why, action }) => (
          <li key={`${time} ${verb} ${action}`}>
            <strong>{verb}</strong>
            <span>{action}</span>
            <span className="row-text">{why}</span>
            <span className="quiet">{who}</span>
            <Time at={time} />
          </li>
        ))}
      </ul>
    </section>
  );
}
