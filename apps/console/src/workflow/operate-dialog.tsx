import { useState } from 'react';
import type { Workflow } from '@tinkerbell/resources';
import { Ask } from '../parts/ask.tsx';
import { commandOf, explanationOf, operate, titleOf, type Wish } from './operations.ts';

interface OperateDialogProps {
  readonly workflow: Workflow;
  readonly wish: Wish;
  readonly onClose: () => void;
}

export function OperateDialog({ workflow, wish, onClose }: OperateDialogProps) {
  const [why, setWhy] = useState('');
  const { name } = workflow.metadata;
  return (
    <Ask
      title={`${titleOf(wish)}: ${name}`}
      verb={titleOf(wish)}
      tone={wish.verb === 'cancel' ? 'danger' : 'primary'}
      command={commandOf(workflow, wish, why.trim())}
      done={`${titleOf(wish)}: ${name}`}
      act={() => operate(workflow, wish, why.trim())}
      onClose={onClose}
    >
      <p>{explanationOf(wish)}</p>
      <label className="field">
        <span>Why (stored with the workflow)</span>
        <input value={why} maxLength={1024} onChange={(event) => setWhy(event.currentTarget.value)} />
      </label>
    </Ask>
  );
}
