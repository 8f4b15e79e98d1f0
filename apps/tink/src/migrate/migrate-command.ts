/** `tink migrate` */
import type { Command } from 'commander';
import { examples } from '../command-line/command-line.ts';
import type { Terminal } from '../output/terminal.ts';
import type { MigrateOptions } from './migrate.ts';

const explanation = `
Migrates everything except the resourceVersion: uid, labels, annotations, owners, finalizers, status, creationTimestamp, timelines, output of
actions, and address leases. A cluster assigns uids and creation times itself, and accepts Tinkerbell's kinds and the Secrets of BMC machines.
In that case, timelines and leases stay in the data folder. Stop all servers of both stores first. Sealed Secrets stay sealed, so give the
new server the same keys. After an interruption, repeat the command to resume. All copied objects are compared at the end.
`;

export function addMigrate(program: Command, terminal: Terminal): void {
  program
    .command('migrate')
    .description('copy everything of a stopped server to another store')
    .requiredOption('--from <store>', 'sqlite:DATA-DIR, postgres://…, or kubernetes:[KUBECONFIG]')
    .requiredOption('--to <store>', 'the same; “postgres:” takes TINKERBELL_POSTGRES_URL')
    .option(
      '--while-running',
      'migrate while agents perform actions; running attempts continue and report to the new server',
    )
    .option('--dry-run', 'print what would be copied, and write nothing')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      explanation +
        examples(
          'tink migrate --from sqlite:/var/lib/tinkerbell --to postgres: --dry-run',
          'tink migrate --from sqlite:/var/lib/tinkerbell --to postgres:',
          'tink migrate --from sqlite:/var/lib/tinkerbell --to kubernetes:~/.kube/config',
        ),
    )
    .action(async (options: MigrateOptions) => {
      const { migrate } = await import('./migrate.ts');
      await migrate(options, terminal);
    });
}
