/** `tink backup` and `tink restore` */
import type { Command } from 'commander';
import { backUp, collectionName, kindsToBackUp } from './back-up.ts';
import { readBackup, verifyBackup, writeBackup } from './backup-file.ts';
import { restoreObject, type Restored, type Uids } from './restore.ts';
import { TinkFailure } from '../failure.ts';
import { progressLine } from '../output/progress-line.ts';
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
  readonly json?: boolean;
}

export function addRestore(program: Command, terminal: Terminal): void {
  program
    .command('restore <file>')
    .description('create the objects of a backup; existing objects are skipped, so you can repeat it')
    .option('--overwrite', 'also replace existing objects that differ')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', explanation + examples('tink restore site.jsonl.gz'))
    .action(async (path: string, flags: RestoreFlags, command: Command) => {
      await restore(await sessionOf(command, terminal), path, flags);
    });
}

type Counts = Record<string, Record<Restored, number>>;

async function restore({ client, terminal }: Session, path: string, flags: RestoreFlags): Promise<void> {
  const { objects } = await verifyBackup(path);
  const kinds = new Map((await kindsToBackUp(client)).map((kind) => [collectionName(kind), kind]));
  const total = Object.values(objects).reduce((sum, one) => sum + one, 0);
  const progress = progressLine(terminal, 'restoring', total);
  const uids: Uids = new Map();
  const counts: Counts = {};
  let done = 0;
  for await (const line of readBackup(path)) {
    if (line.type !== 'object') continue;
    const { collection, object } = line;
    const kind = kinds.get(collection) ?? (await discovered());
    if (kind === undefined)
      throw new TinkFailure(`unknown kind on the server: ${collection}`, {
        advice: 'create its CustomResourceDefinition, and restore again',
      });
    const count = (counts[collection] ??= { created: 0, overwritten: 0, unchanged: 0 });
    count[await restoreObject(kind, object, { client, uids, overwrite: flags.overwrite === true })] += 1;
    progress((done += 1));

    /** Discovers the kinds again, because restored definitions add kinds. */
    async function discovered() {
      for (const one of await kindsToBackUp(client)) kinds.set(collectionName(one), one);
      return kinds.get(collection);
    }
  }
  terminal.out(flags.json === true ? `${JSON.stringify(counts)}\n` : textOf(counts));
}

function textOf(counts: Counts): string {
  return Object.entries(counts)
    .map(
      ([collection, { created, overwritten, unchanged }]) =>
        `${collection}: ${created} created, ${overwritten} overwritten, ${unchanged} unchanged\n`,
    )
    .join('');
}
