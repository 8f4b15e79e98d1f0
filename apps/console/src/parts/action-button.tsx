import type { ReactNode } from 'react';
import type { Refusal } from '../api/permissions.ts';
import { showNotice } from './notices.tsx';

interface ActionButtonProps {
  readonly children: ReactNode;
  readonly onAct: () => void;
  /** Why it cannot be used. It stays in the order of keys, so that everybody can learn the reason. */
  readonly refusal?: Refusal;
  /** What it does, if its words do not say all. */
  readonly help?: string;
  readonly tone?: 'primary' | 'danger' | 'plain';
}

export function ActionButton({ children, onAct, refusal, help, tone = 'plain' }: ActionButtonProps) {
  const isRefused = refusal !== undefined;
  return (
    <button
      type="button"
      className={`button ${tone}`}
      aria-disabled={isRefused}
      title={refusal ?? help}
      onClick={() => (isRefused ? showNotice({ text: refusal, tone: 'warn' }) : onAct())}
    >
      {children}
    </button>
  );
}
