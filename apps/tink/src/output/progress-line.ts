/** Prints the progress of a long command on standard error: one overwritten line on a terminal, few lines in a log. */
import type { Terminal } from './terminal.ts';

const LINES_IN_LOG = 10;
const UPDATES_ON_TERMINAL = 200;

/** `label` names the operation: `importing`. Short operations print nothing. */
export function progressLine(
  terminal: Pick<Terminal, 'styledErr' | 'isTty'>,
  label: string,
  total: number,
): (done: number) => void {
  const parts = terminal.isTty ? UPDATES_ON_TERMINAL : LINES_IN_LOG;
  const every = Math.max(1, Math.ceil(total / parts));
  if (total < 100) return () => undefined;
  return (done) => {
    const isLast = done === total;
    if (done % every !== 0 && !isLast) return;
    const text = `${label} ${done} of ${total} (${Math.floor((100 * done) / total)} %)`;
    terminal.styledErr(terminal.isTty ? `\r${text}${isLast ? '\n' : ''}` : `${text}\n`);
  };
}
