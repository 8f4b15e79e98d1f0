/** `tink login` and `tink logout`. What they need is loaded when they run: every other command starts without it. */
import type { Command } from 'commander';
import type { LoginOptions } from './log-in.ts';
import type { GlobalOptions } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples } from '../command-line/command-line.ts';

export function addLogin(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('log in as a person at the identity provider of the server (OpenID Connect)')
    .option('--issuer <url>', 'the identity provider; else as the server says')
    .option('--client-id <name>', 'the name of tink there; else as the server says')
    .option('--scopes <names>', 'what to ask for beside openid, with commas; else as the server says')
    .option('--device', 'show a code to enter in a browser of another machine')
    .option('--no-browser', 'print the address of the page, and open none')
    .addHelpText(
      'after',
      examples(
        'tink login',
        'tink login --device',
        'tink login --server https://tink.example.org --no-browser',
      ),
    )
    .action(async (_options: unknown, command: Command) => {
      const { logIn } = await import('./log-in.ts');
      await logIn(command.optsWithGlobals<LoginOptions>(), terminal);
    });
  program
    .command('logout')
    .description('forget the tokens of tink login, here and at the identity provider')
    .addHelpText('after', examples('tink logout'))
    .action(async (_options: unknown, command: Command) => {
      const { logOut } = await import('./log-in.ts');
      await logOut(command.optsWithGlobals<GlobalOptions>(), terminal);
    });
}
