/** `tink login` and `tink logout`. Loads their modules when they run, so that other commands start faster. */
import type { Command } from 'commander';
import type { LoginOptions } from './log-in.ts';
import type { GlobalOptions } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples } from '../command-line/command-line.ts';

export function addLogin(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('log in at the server’s identity provider (OpenID Connect)')
    .option('--issuer <url>', 'identity provider (default: from the server)')
    .option('--client-id <name>', 'client id of tink at the provider (default: from the server)')
    .option('--scopes <names>', 'comma-separated scopes beside openid (default: from the server)')
    .option('--device', 'show a code to enter in a browser on another machine')
    .option('--no-browser', 'print the URL of the page without opening a browser')
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
    .description('delete the tokens of tink login, and revoke them at the identity provider')
    .addHelpText('after', examples('tink logout'))
    .action(async (_options: unknown, command: Command) => {
      const { logOut } = await import('./log-in.ts');
      await logOut(command.optsWithGlobals<GlobalOptions>(), terminal);
    });
}
