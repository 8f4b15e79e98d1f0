/** The namespace whose objects are shown. It lasts until it is changed. Empty: all. */
import { useSyncExternalStore } from 'react';

const KEY = 'tinkerbell-namespace';
const listeners = new Set<() => void>();

export function chooseNamespace(namespace: string): void {
  localStorage.setItem(KEY, namespace);
  for (const listener of listeners) listener();
}

export function useNamespace(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => localStorage.getItem(KEY) ?? '',
  );
}
