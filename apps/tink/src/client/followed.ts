/** A stream of the server that goes on over its restarts, and says on standard error when it is away. */
import { resumed, type ResumeOptions } from './resumed.ts';
import type { Session } from './session.ts';

export function followed<Item>(
  session: Session,
  open: () => Promise<AsyncIterable<Item>>,
): AsyncGenerator<Item, void, undefined> {
  return resumed(
    open,
    resumeOptions(session, (text) => session.terminal.err(`${text}\n`)),
  );
}

export function resumeOptions({ terminal, client }: Session, note: (text: string) => void): ResumeOptions {
  return {
    ...terminal,
    onLost: () => note(`--- lost ${client.server}; going on when it is back`),
    onBack: () => note(`--- ${client.server} is back`),
  };
}
