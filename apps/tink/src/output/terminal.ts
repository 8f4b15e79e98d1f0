/** What commands see of the process they run in, so that tests can be that process. */
import type { Clock, Random } from '@tinkerbell/platform-contract';
import { withoutControls } from './printable.ts';

export interface Terminal extends ProcessTerminal {
  /** Prints as they are: colours and cursor movements of our own around text that has been through `printable`. */
  readonly styledOut: (text: string) => void;
  readonly styledErr: (text: string) => void;
}

/** A terminal before it is guarded. */
export interface ProcessTerminal {
  /** In a guarded terminal control characters are escaped. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal, on which a line can be written again. */
  readonly isTty: boolean;
  readonly columns: () => number;
  /** All of standard input as text. */
  readonly readInput: () => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Login name of the person. */
  readonly userName: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Colours only where a person looks, and who set NO_COLOR does not want them (no-color.org). */
export function wantsColour({ isTty, environment }: Pick<Terminal, 'isTty' | 'environment'>): boolean {
  return isTty && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}

/** What commands print comes from machines, objects and servers, so that nothing of it may steer the terminal. */
export function guarded(terminal: ProcessTerminal): Terminal {
  const { out, err } = terminal;
  return {
    ...terminal,
    out: (text) => out(withoutControls(text)),
    err: (text) => err(withoutControls(text)),
    styledOut: out,
    styledErr: err,
  };
}
