/** A stream that resumes after restarts of the server, and reports lost connections on standard error. */
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
    onLost: () => note(`--- lost ${client.server}; reconnecting`),
    onBack: () => note(`--- ${client.server} is back`),
  };
}
