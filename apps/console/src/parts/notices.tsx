/** Short messages at the edge of the page. */
import { useSyncExternalStore } from 'react';

export interface Notice {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'warn';
}

const SHOWN_MS = 8000;
let notices: readonly (Notice & { readonly id: number })[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replace(next: typeof notices): void {
  notices = next;
  for (const listener of listeners) listener();
}

export function showNotice(notice: Notice): void {
  const id = ++lastId;
  replace([...notices.slice(-3), { ...notice, id }]);
  setTimeout(() => replace(notices.filter((one) => one.id !== id)), SHOWN_MS);
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div className="notices" role="status">
      {shown.map(({ id, text, tone }) => (
        <p key={id} className={`notice ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
