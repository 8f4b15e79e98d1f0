/** The help of every command as values, for manual pages. */
import type { Command } from 'commander';
import type { Terminal } from '../output/terminal.ts';
import { createProgram } from '../run.ts';

export interface CommandPage {
  /** `tink workflow retry`. */
  readonly name: string;
  /** `[options] <name>`. */
  readonly usage: string;
  readonly description: string;
  readonly options: readonly { readonly flags: string; readonly description: string }[];
  /** The text after the options, such as examples. It may be empty. */
  readonly details: string;
}

const COLUMNS = 100;

/** Returns `tink` itself first, and then its commands in the order of `tink --help`. */
export function commandPages(): readonly CommandPage[] {
  let printed = '';
  const terminal: Terminal = {
    ...nobody,
    out: (text) => void (printed += text),
    columns: () => COLUMNS,
  };
  const detailsOf = (command: Command): string => {
    printed = '';
    command.outputHelp();
    return printed.slice(command.helpInformation().length).trim();
  };
  return pagesOf(createProgram(terminal), '', detailsOf);
}

function pagesOf(
  command: Command,
  prefix: string,
  detailsOf: (command: Command) => string,
): readonly CommandPage[] {
  const help = command.createHelp();
  const name = `${prefix}${command.name()}`;
  const page = {
    name,
    usage: command.usage(),
    description: help.commandDescription(command),
    options: help
      .visibleOptions(command)
      .map((option) => ({ flags: help.optionTerm(option), description: help.optionDescription(option) })),
    details: detailsOf(command),
  };
  const own = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  return [page, ...own.flatMap((one) => pagesOf(one, `${name} `, detailsOf))];
}

function unused(): never {
  throw new TypeError('help runs no command');
}

/** Commands read their terminal only when they run. */
const nobody: Terminal = {
  out: unused,
  err: unused,
  styledOut: unused,
  styledErr: unused,
  isTty: false,
  columns: unused,
  readInput: unused,
  environment: {},
  homeDirectory: '/',
  userName: '',
  clock: { nowMs: unused, monotonicMs: unused, schedule: unused },
  random: { bytes: unused, fraction: unused },
  signal: new AbortController().signal,
};
