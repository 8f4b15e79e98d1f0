import type { Command } from 'commander';
import { TinkFailure } from '../failure.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

export const VERSION = '0.1.0';

export function addVersion(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('print the versions of tink and of the server')
    .addHelpText('after', examples('tink version'))
    .action(async (_options: unknown, command: Command) => {
      const { client } = await sessionOf(command, terminal);
      const server = await client.version().catch((thrown: unknown) => {
        if (thrown instanceof TinkFailure) return `unknown: ${thrown.message}`;
        throw thrown;
      });
      const serverRow = [
        'server',
        server.replace(/^v/, ''),
        ...(server.startsWith('unknown') ? [] : [client.server]),
      ];
      terminal.out(alignedText([['tink', VERSION], serverRow]));
    });
}
