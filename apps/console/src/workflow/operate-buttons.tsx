import type { Workflow } from '@tinkerbell/resources';
import { workflows } from '../api/kinds.ts';
import { useMay, type Refusal } from '../api/permissions.ts';
import { ActionButton } from '../parts/action-button.tsx';
import type { Wish } from './operations.ts';
import { isEnded } from './workflow-facts.ts';

interface OperateButtonsProps {
  readonly workflow: Workflow;
  readonly onWish: (wish: Wish) => void;
}

/** Operations on the whole workflow. Those that its state does not allow say why. */
export function OperateButtons({ workflow, onWish }: OperateButtonsProps) {
  const may = useMay(workflow.metadata.namespace ?? '');
  const hasEnded = isEnded(workflow);
  const isPaused = workflow.status?.paused === true;
  const allowed = (verb: string, other: Refusal): Refusal => may('create', workflows, verb) ?? other;
  const ended = hasEnded ? 'The workflow has ended. Retry it instead.' : undefined;
  return (
    <>
      {isPaused ? (
        <ActionButton
          tone="primary"
          refusal={allowed('resume', ended)}
          onAct={() => onWish({ verb: 'resume' })}
        >
          Resume
        </ActionButton>
      ) : (
        <ActionButton refusal={allowed('pause', ended)} onAct={() => onWish({ verb: 'pause' })}>
          Pause
        </ActionButton>
      )}
      <ActionButton refusal={allowed('cancel', ended)} tone="danger" onAct={() => onWish({ verb: 'cancel' })}>
        Cancel
      </ActionButton>
      <ActionButton
        refusal={allowed('retry', hasEnded ? undefined : 'The workflow has not ended. Cancel it first.')}
        tone={hasEnded ? 'primary' : 'plain'}
        onAct={() => onWish({ verb: 'retry' })}
      >
        Retry
      </ActionButton>
      <ActionButton
        refusal={allowed('retry', hasEnded ? undefined : 'The workflow has not ended. Cancel it first.')}
        onAct={() => onWish({ verb: 'retry', isFromStart: true })}
      >
        Retry from the start
      </ActionButton>
    </>
  );
}
