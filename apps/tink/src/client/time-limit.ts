/** A session whose requests end when a time limit is over, or with the command. */
import type { Session } from './session.ts';

export interface TimeLimit extends Disposable {
  readonly session: Session;
  /** Aborts with the limit, and with the signal of the command. */
  readonly signal: AbortSignal;
}

/** Disposing ends what still runs. */
export function limitedTo(seconds: number, session: Session): TimeLimit {
  const { clock, signal } = session.terminal;
  const over = new AbortController();
  const cancel = clock.schedule(seconds * 1000, () => over.abort());
  const ending = AbortSignal.any([signal, over.signal]);
  const terminal = { ...session.terminal, signal: ending };
  return {
    session: { ...session, terminal, client: session.client.endingWith(ending) },
    signal: ending,
    [Symbol.dispose]() {
      cancel();
      over.abort();
    },
  };
}
