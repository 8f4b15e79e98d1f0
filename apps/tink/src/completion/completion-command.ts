import type { Command } from 'commander';
import { completionScripts, shells } from './completion-scripts.ts';
import { candidates, placeOf } from './completion.ts';
import { usageFailure } from '../failure.ts';
import { openSession, type GlobalOptions } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples } from '../command-line/command-line.ts';

export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion <shell>')
    .description('print the shell completion script for bash, zsh or fish')
    .addHelpText(
      'after',
      examples(
        'source <(tink completion bash)                                 this shell only',
        'tink completion bash > ~/.local/share/bash-completion/completions/tink',
        'tink completion zsh > ~/.zfunc/_tink                           a folder of $fpath',
        'tink completion fish > ~/.config/fish/completions/tink.fish',
      ),
    )
    .action((word: string) => {
      const shell = shells.find((one) => one === word);
      if (shell === undefined) throw usageFailure(`unknown shell ${word}; supported: bash, zsh and fish`);
      terminal.out(completionScripts[shell]);
    });
  program
    .command('__complete [words...]', { hidden: true })
    .action(async (words: readonly string[], _options: unknown, command: Command) => {
      const at = words.findIndex((word) => word === '-n' || word === '--namespace');
      const globals = command.optsWithGlobals<GlobalOptions>();
      const options = at < 0 ? globals : { ...globals, namespace: words[at + 1] };
      // A warning would appear in the line that the user is typing.
      const session = await openSession(options, { ...terminal, err: () => undefined });
      const found = await candidates(program, placeOf(program, words), session);
      terminal.out(found.map((one) => `${one}\n`).join(''));
    });
}
