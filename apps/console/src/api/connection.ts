/** Whether the streams of the page are connected. The banner shows it. */
import { useSyncExternalStore } from 'react';

const broken = new Set<symbol>();
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/** Reports the state of one stream. */
export function reportStream(stream: symbol, isConnected: boolean): void {
  const had = broken.size > 0;
  if (isConnected) broken.delete(stream);
  else broken.add(stream);
  if (had !== broken.size > 0) changed();
}

export function useIsConnected(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => broken.size === 0,
  );
}
