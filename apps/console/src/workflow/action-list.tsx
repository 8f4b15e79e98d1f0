/** The actions of a workflow in order, each with its output. */
import { useMemo, useState } from 'react';
import type { JournalRecord } from '@tinkerbell/store-contract/journal';
import type { Workflow } from '@tinkerbell/resources';
import { workflows } from '../api/kinds.ts';
import { useMay } from '../api/permissions.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { EmptyPage } from '../parts/empty-page.tsx';
import { wholeSecondsText } from '../parts/relative-time.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { useNowMs } from '../parts/time.tsx';
import type { Wish } from './operations.ts';
import { OutputText } from './output-text.tsx';
import { actionsOf, isEnded, type PlacedAction } from './workflow-facts.ts';

interface ActionListProps {
  readonly workflow: Workflow;
  /** The output of all actions. */
  readonly records: readonly JournalRecord[];
  readonly onWish: (wish: Wish) => void;
  readonly onEdit: (placed: PlacedAction) => void;
}

export function ActionList({ workflow, records, onWish, onEdit }: ActionListProps) {
  const actions = actionsOf(workflow);
  const output = useMemo(() => Map.groupBy(records, placeOf), [records]);
  const current = workflow.status?.currentState?.actionID;
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { shown, isBefore, isAfter, more } = useWindow(actions);
  if (actions.length === 0)
    return (
      <EmptyPage title="It has no actions yet">
        <p>
          They appear when the template is rendered. If they do not, the conditions of the workflow say why.
        </p>
      </EmptyPage>
    );
  return (
    <ol className="actions-list" aria-label="Actions">
      {isBefore && <MoreActions title="Show earlier actions" onMore={() => more('before')} />}
      {shown.map((placed) => {
        const { action, task } = placed;
        const isOpen = opened.get(action.id) ?? (action.id === current || action.state === 'FAILED');
        const lines = output.get(`${task.name}\n${action.name ?? ''}`) ?? [];
        return (
          <li key={action.id} className={`action ${(action.state ?? 'PENDING').toLowerCase()}`}>
            <div className="action-head">
              <button
                type="button"
                className="disclosure"
                aria-expanded={isOpen}
                onClick={() => setOpened(new Map(opened).set(action.id, !isOpen))}
              >
                <span className="strong">{action.name}</span>
                <span className="quiet">{task.name}</span>
              </button>
              {action.breakpoint === true && <span className="badge warn">breakpoint</span>}
              <StateBadge state={action.state ?? ''} />
              <Took action={action} />
              <ActionMenu workflow={workflow} placed={placed} onWish={onWish} onEdit={onEdit} />
            </div>
            {isOpen && (
              <div className="action-body">
                {action.message !== undefined && action.message !== '' && <p>{action.message}</p>}
                <p className="quiet mono">{action.image}</p>
                <OutputText records={lines} />
              </div>
            )}
          </li>
        );
      })}
      {isAfter && <MoreActions title="Show later actions" onMore={() => more('after')} />}
    </ol>
  );
}

/** A workflow of thousands of actions is shown in parts. */
const ACTIONS_SHOWN = 200;

/** At first, the actions around the one that is next. */
function useWindow(actions: readonly PlacedAction[]) {
  const [reach, setReach] = useState({ before: ACTIONS_SHOWN / 2, after: ACTIONS_SHOWN });
  const open = actions.findIndex(({ action }) => action.state !== 'SUCCESS');
  const next = open === -1 ? actions.length - 1 : open;
  const [from, to] = [Math.max(0, next - reach.before), Math.min(actions.length, next + reach.after)];
  return {
    shown: actions.slice(from, to),
    isBefore: from > 0,
    isAfter: to < actions.length,
    more: (side: 'before' | 'after') => setReach({ ...reach, [side]: reach[side] + ACTIONS_SHOWN }),
  };
}

function MoreActions({ title, onMore }: { readonly title: string; readonly onMore: () => void }) {
  return (
    <li className="action more">
      <button type="button" className="button plain" onClick={onMore}>
        {title}
      </button>
    </li>
  );
}

function placeOf({ details }: JournalRecord): string {
  return `${details?.['task']}\n${details?.['action']}`;
}

function Took({ action }: Pick<PlacedAction, 'action'>) {
  const now = useNowMs();
  const { executionStart: start, executionStop: stop } = action;
  if (start === undefined || start === '') return <span className="took" />;
  const endMs = stop === undefined || stop === '' ? now : Date.parse(stop);
  return <span className="took">{wholeSecondsText(endMs - Date.parse(start))}</span>;
}

type MenuProps = Omit<ActionListProps, 'records'> & { readonly placed: PlacedAction };

/** What the state of the action allows. The server decides in any case. */
function ActionMenu({ workflow, placed, onWish, onEdit }: MenuProps) {
  const may = useMay(workflow.metadata.namespace ?? '');
  const { state, breakpoint: isSet = false } = placed.action;
  const hasEnded = isEnded(workflow);
  const isAhead = state === 'PENDING' || (hasEnded && state !== 'SUCCESS');
  const button = (title: string, wish: Wish) => (
    <ActionButton refusal={may('create', workflows, wish.verb)} onAct={() => onWish(wish)}>
      {title}
    </ActionButton>
  );
  return (
    <span className="action-verbs">
      {hasEnded && button('Retry from here', { verb: 'retry', at: placed })}
      {isAhead && (
        <ActionButton refusal={may('create', workflows, 'edit')} onAct={() => onEdit(placed)}>
          Edit…
        </ActionButton>
      )}
      {!hasEnded &&
        isAhead &&
        button(isSet ? 'Remove breakpoint' : 'Breakpoint', {
          verb: 'breakpoint',
          at: placed,
          isRemoval: isSet,
        })}
      {isAhead && button('Skip', { verb: 'skip', at: placed })}
    </span>
  );
}
