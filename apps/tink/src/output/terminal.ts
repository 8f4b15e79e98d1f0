/** The process as commands see it, so that tests can replace it. */
import type { Clock, Random } from '@tinkerbell/platform-contract';
import { withoutControls } from './printable.ts';

export interface Terminal extends ProcessTerminal {
  /** Prints without escaping, for our own colours and cursor movements around text that has been through `printable`. */
  readonly styledOut: (text: string) => void;
  readonly styledErr: (text: string) => void;
}

/** A terminal that does not escape its output yet. */
export interface ProcessTerminal {
  /** A guarded terminal escapes control characters. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True if standard output is a terminal, where a line can be overwritten. */
  readonly isTty: boolean;
  readonly columns: () => number;
  /** Returns all of standard input as text. */
  readonly readInput: () => Promise<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Login name of the user. */
  readonly userName: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** True on a terminal, unless NO_COLOR is set (no-color.org). */
export function wantsColour({ isTty, environment }: Pick<Terminal, 'isTty' | 'environment'>): boolean {
  return isTty && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}

/** Escapes everything that commands print, because it comes from machines, objects and servers. */
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
