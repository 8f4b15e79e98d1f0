/** The views that somebody has saved in this browser, in all its windows. */
import { useMemo, useSyncExternalStore } from 'react';
import { viewsIn, viewsText, type SavedView } from './saved-views.ts';

const KEY = 'tinkerbell-machine-views';
const listeners = new Set<() => void>();

export function keepViews(views: readonly SavedView[]): void {
  localStorage.setItem(KEY, viewsText(views));
  for (const listener of listeners) listener();
}

export function useSavedViews(): readonly SavedView[] {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(KEY) ?? '');
  return useMemo(() => viewsIn(text), [text]);
}

/** The browser reports changes of other windows only. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
