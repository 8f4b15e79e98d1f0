/**
 * Makes `--json` and `-o json` equivalent: a command that has one of them accepts both. Commands that print documents
 * (`get`) have more formats of `-o`. Commands that print lines have only `json`.
 */
import type { Command } from 'commander';
import { usageFailure } from '../failure.ts';

export function withJsonHabit(program: Command): void {
  for (const command of commandsOf(program)) {
    const hasJson = command.options.some(({ long }) => long === '--json');
    const hasOutput = command.options.some(({ long }) => long === '--output');
    if (hasJson && !hasOutput) command.option('-o, --output <format>', 'json: same as --json');
    if (hasOutput && !hasJson) command.option('--json', 'same as -o json');
    if (hasJson === hasOutput) continue;
    command.hook('preAction', (_self, action) => {
      if (hasJson) takeOutput(action);
      else if (action.getOptionValue('json') === true) action.setOptionValue('output', 'json');
    });
  }
}

function takeOutput(action: Command): void {
  const output: unknown = action.getOptionValue('output');
  if (typeof output !== 'string') return;
  if (output !== 'json')
    throw usageFailure(`-o ${output}: ${action.name()} supports only -o json, and prints text without it`);
  action.setOptionValue('json', true);
}

function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((one) => [one, ...commandsOf(one)]);
}
