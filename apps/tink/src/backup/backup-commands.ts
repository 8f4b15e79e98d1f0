/** `tink backup` and `tink restore` */
import type { Resource } from '@tinkerbell/resources';
import type { Command } from 'commander';
import { backUp, collectionName, kindsToBackUp } from './back-up.ts';
import { readBackup, verifyBackup, writeBackup } from './backup-file.ts';
import { compareObject, restoreObject, type Comparison, type RestoreOptions } from './restore.ts';
import { TinkFailure } from '../failure.ts';
import { progressLine } from '../output/progress-line.ts';
import type { OfferedKind } from '../client/discovery.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

const explanation = `
Backs up a running server over its API. Each kind is a snapshot of one moment, with status. The timelines of machines and workflows are
included. The file contains the values of Secrets: protect it like the Secrets themselves. The server assigns a new uid and creationTimestamp
to each restored object, and owner references get the new uids. Restore ignores timelines. To keep everything, stop the server and use "tink migrate".
`;

export function addBackup(program: Command, terminal: Terminal): void {
  program
    .command('backup <file>')
    .description('write all objects and timelines of the server to a file')
    .option('--json', 'print the manifest as JSON')
    .addHelpText('after', explanation + examples('tink backup site.jsonl.gz'))
    .action(async (path: string, options: { readonly json?: boolean }, command: Command) => {
      const { client } = await sessionOf(command, terminal);
      const onKind = (collection: string, count: number): void => {
        if (count > 0 && options.json !== true) terminal.err(`${collection}: ${count}\n`);
      };
      const manifest = await writeBackup(path, backUp(client, onKind));
      const count = Object.values(manifest.objects).reduce((sum, one) => sum + one, 0);
      const text = `${path}: ${count} objects, ${manifest.records} records, SHA-256 ${manifest.sha256}`;
      terminal.out(`${options.json === true ? JSON.stringify(manifest) : text}\n`);
    });
}

interface RestoreFlags {
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addRestore(program: Command, terminal: Terminal): void {
  program
    .command('restore <file>')
    .description('create the objects of a backup; existing objects are skipped, so you can repeat it')
    .option('--overwrite', 'also replace existing objects that differ')
    .option('--dry-run', 'verify the file, and report what a restore would do, without changing anything')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', explanation + examples('tink restore site.jsonl.gz'))
    .action(async (path: string, flags: RestoreFlags, command: Command) => {
      await restore(await sessionOf(command, terminal), path, flags);
    });
}

type Counts = Record<string, Record<Comparison, number>>;

async function restore({ client, terminal }: Session, path: string, flags: RestoreFlags): Promise<void> {
  const { objects } = await verifyBackup(path);
  const kinds = new Map((await kindsToBackUp(client)).map((kind) => [collectionName(kind), kind]));
  const total = Object.values(objects).reduce((sum, one) => sum + one, 0);
  const isDry = flags.dryRun === true;
  const progress = progressLine(terminal, isDry ? 'comparing' : 'restoring', total);
  const options: RestoreOptions = { client, uids: new Map(), overwrite: flags.overwrite === true };
  const counts: Counts = {};
  let done = 0;
  for await (const line of readBackup(path)) {
    if (line.type !== 'object') continue;
    const { collection, object } = line;
    const kind = kinds.get(collection) ?? (await discovered());
    const count = (counts[collection] ??= { created: 0, overwritten: 0, unchanged: 0, different: 0 });
    count[await restored(kind, object)] += 1;
    progress((done += 1));

    async function restored(known: OfferedKind | undefined, one: Resource): Promise<Comparison> {
      // Its definition may be in the backup.
      if (known === undefined && isDry) return 'created';
      if (known === undefined)
        throw new TinkFailure(`unknown kind on the server: ${collection}`, {
          advice: 'create its CustomResourceDefinition, and restore again',
        });
      return isDry ? compareObject(known, one, options) : restoreObject(known, one, options);
    }

    /** Discovers the kinds again, because restored definitions add kinds. */
    async function discovered() {
      for (const one of await kindsToBackUp(client)) kinds.set(collectionName(one), one);
      return kinds.get(collection);
    }
  }
  terminal.out(flags.json === true ? `${JSON.stringify(counts)}\n` : textOf(counts, isDry));
  const different = Object.values(counts).reduce((sum, one) => sum + one.different, 0);
  if (different > 0)
    throw new TinkFailure(
      `${different} ${different === 1 ? 'object exists and differs' : 'objects exist and differ'}`,
      {
        advice: 'restore to an empty server, or add --overwrite',
      },
    );
}

function textOf(counts: Counts, isDry: boolean): string {
  const [create, overwrite] = isDry ? ['to create', 'to overwrite'] : ['created', 'overwritten'];
  return Object.entries(counts)
    .map(([collection, { created, overwritten, unchanged, different }]) => {
      const rest = isDry ? `, ${different} different` : '';
      return `${collection}: ${created} ${create}, ${overwritten} ${overwrite}, ${unchanged} unchanged${rest}\n`;
    })
    .join('');
}
