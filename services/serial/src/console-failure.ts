import { adviceFor, BmcError } from '@tinkerbell/engine-bmc';
import type { Log } from '@tinkerbell/platform-contract';

/** Returns the text for a session whose console cannot be opened. An unexpected error is logged, and ends that session only. */
export function consoleFailure(thrown: unknown, log: Log): string {
  if (thrown instanceof BmcError) return `${thrown.code}: ${thrown.message}; ${adviceFor(thrown.code)}`;
  log.error('serial console: opening failed', { error: String(thrown) });
  return 'the console cannot be opened; the log of the server says why';
}
