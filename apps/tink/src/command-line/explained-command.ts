import { Command, type ErrorOptions } from 'commander';

/** A command whose errors look like those of tink, and show how it is used. So do those of its subcommands. */
export class ExplainedCommand extends Command {
  override createCommand(name?: string): Command {
    return new ExplainedCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    const path = pathOf(this);
    const [problem = '', ...suggestions] = message.replace(/^error: /, 'tink: ').split('\n');
    const isCommand = problem.includes('unknown command');
    const advice = isCommand ? `commands: ${commandsOf(this)}` : `usage: ${path} ${this.usage()}`;
    const more = suggestions.length > 0 ? suggestions : [advice];
    return super.error(
      [problem, ...more, `"${path} --help" has options and examples`].join('\n      '),
      options,
    );
  }
}

/** Without those that help does not show. */
function commandsOf(command: Command): string {
  const names = command.createHelp().visibleCommands(command);
  return names
    .map((one) => one.name())
    .filter((name) => name !== 'help')
    .join(', ');
}

/** `tink image add`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
