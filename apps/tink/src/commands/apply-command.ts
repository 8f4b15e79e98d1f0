import type { Command } from 'commander';
import { applyObjects, checkAll } from '../apply.ts';
import { usageFailure } from '../failure.ts';
import { readManifestFiles, type SourceFile } from '../manifest-files.ts';
import { checkManifests, type LocatedObject } from '../manifest-objects.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { collected, examples, sessionOf } from './command-line.ts';

interface ApplyCommandOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly dryRun?: boolean;
  readonly validateOnly?: boolean;
}

export function addApply(program: Command, terminal: Terminal): void {
  program
    .command('apply')
    .description('create or change objects from files; nothing is sent unless all of them are good')
    .option('-f, --filename <path>', 'file, folder or - for standard input; may be repeated', collected)
    .option('-R, --recursive', 'also the folders within a folder')
    .option('--dry-run', 'ask the server what would happen, without storing anything')
    .option('--validate-only', 'only check the files, without a server')
    .addHelpText(
      'after',
      examples(
        'tink apply -f examples/debian            all manifests of a folder',
        'tink apply -f hardware.yaml -f workflow.yaml',
        'cat m1.yaml | tink apply -f -',
        'tink apply -f site/ -R --dry-run',
        'tink apply -f site/ -R --validate-only   for CI: no server needed',
      ),
    )
    .action(async (options: ApplyCommandOptions, command: Command) => {
      if (options.filename === undefined) throw usageFailure('apply needs files: -f FILE, -f FOLDER or -f -');
      const session = await sessionOf(command, terminal);
      const files = await readManifestFiles(options.filename, terminal, options);
      if (options.validateOnly) return validateOnly(session, files);
      await applyFiles(session, files, options);
    });
}

/** Also what `tink workflow validate` does. */
export async function validateOnly(session: Session, files: readonly SourceFile[]): Promise<void> {
  const { terminal } = session;
  const checked = check(session, files);
  await checkAll(checked, undefined, (line) => terminal.err(`${line}\n`));
  terminal.out(
    `${checked.objects.length} ${checked.objects.length === 1 ? 'object is' : 'objects are'} valid\n`,
  );
}

function check({ namespace, namespaceAsked }: Session, files: readonly SourceFile[]) {
  return checkManifests(files, { fallback: namespace, required: namespaceAsked });
}

export interface ApplyFilesOptions {
  readonly dryRun?: boolean | undefined;
  /** Throws when the files have what the command does not take. */
  readonly accept?: (objects: readonly LocatedObject[]) => void | Promise<void>;
}

/** Checks the files and applies them, a line for each object. */
export async function applyFiles(
  session: Session,
  files: readonly SourceFile[],
  { dryRun = false, accept }: ApplyFilesOptions = {},
): Promise<void> {
  const { terminal, client } = session;
  const warn = (line: string): void => terminal.err(`${line}\n`);
  const checked = check(session, files);
  await checkAll(checked, client, warn);
  await accept?.(checked.objects);
  await applyObjects(checked.objects, client, {
    dryRun,
    warn,
    done: (deed, _object, name) => terminal.out(`${name} ${deed}${dryRun ? ' (dry run)' : ''}\n`),
  });
}
