import type { Command } from 'commander';
import { applyObjects, checkAll, type Applied, type DryRun } from './apply.ts';
import { createNamespaces } from '../client/create-namespaces.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { readManifestFiles, type SourceFile } from '../manifests/manifest-files.ts';
import { checkManifests, type LocatedObject } from '../manifests/manifest-objects.ts';
import { objectDiff, shownDiff } from '../output/object-diff.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';

interface ApplyCommandOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly dryRun?: boolean | string;
  readonly diff: boolean;
  readonly json?: boolean;
  readonly validateOnly?: boolean;
  readonly createNamespace?: boolean;
}

export function addApply(program: Command, terminal: Terminal): void {
  program
    .command('apply')
    .description('create or change objects from files; sends nothing unless all objects are valid')
    .option('-f, --filename <path>', 'file, folder, or - for standard input; may be repeated', collected)
    .option('-R, --recursive', 'include subfolders')
    .option(
      '--dry-run [where]',
      'store nothing: "server" runs the server’s checks, "client" only compares (default: server)',
    )
    .option('--no-diff', 'do not print the changes')
    .option('--json', 'print one JSON line for each object')
    .option('--create-namespace', 'create missing namespaces')
    .option('--validate-only', 'check the files without a server')
    .addHelpText(
      'after',
      examples(
        'tink apply -f examples/debian            all manifests in a folder',
        'tink apply -f hardware.yaml -f workflow.yaml',
        'cat m1.yaml | tink apply -f -',
        'tink apply -f site/ -n rack7 --create-namespace',
        'tink apply -f site/ -R --dry-run          show what would change',
        'tink apply -f site/ -R --dry-run=client   without the server’s checks',
        'tink apply -f site/ -R --validate-only   for CI: needs no server',
      ),
    )
    .action(async (options: ApplyCommandOptions, command: Command) => {
      if (options.filename === undefined) throw usageFailure('apply needs files: -f FILE, -f FOLDER or -f -');
      const session = await sessionOf(command, terminal);
      const files = await readManifestFiles(options.filename, terminal, options);
      if (options.validateOnly) return validateOnly(session, files);
      await applyFiles(session, files, { ...options, dryRun: dryRunOf(options.dryRun) });
    });
}

export function addDiff(program: Command, terminal: Terminal): void {
  program
    .command('diff')
    .description('show what apply would change; exits 0 for no change, 1 for changes, 2 for an error')
    .option('-f, --filename <path>', 'file, folder, or - for standard input; may be repeated', collected)
    .option('-R, --recursive', 'include subfolders')
    .addHelpText('after', examples('tink diff -f site/ -R', 'tink diff -f m1.yaml && echo "nothing to do"'))
    .action(async (options: Pick<ApplyCommandOptions, 'filename' | 'recursive'>, command: Command) => {
      const { filename, recursive } = options;
      if (filename === undefined) throw usageFailure('diff needs files: -f FILE, -f FOLDER or -f -');
      const count = await differences(await sessionOf(command, terminal), filename, recursive).catch(
        (thrown: unknown) => {
          if (!(thrown instanceof TinkFailure)) throw thrown;
          throw usageFailure(thrown.message, thrown.advice);
        },
      );
      if (count === 0) return;
      const what = count === 1 ? '1 object differs' : `${count} objects differ`;
      throw new TinkFailure(`${what} from the server`, {
        advice: 'apply the files: "tink apply" with the same options',
      });
    });
}

/** Prints the difference of each object, as the server would store it, and returns how many differ. */
async function differences(
  session: Session,
  paths: readonly string[],
  recursive: boolean | undefined,
): Promise<number> {
  const { terminal, client } = session;
  const warn = (line: string): void => terminal.err(`${line}\n`);
  const checked = check(session, await readManifestFiles(paths, terminal, { recursive }));
  await checkAll(checked, client, warn);
  let count = 0;
  const done = ({ operation, name, before, after }: Applied): void => {
    const diff = operation === 'unchanged' ? '' : objectDiff(name, before, after);
    if (diff !== '') count += 1;
    terminal.styledOut(shownDiff(diff, terminal));
  };
  await applyObjects(checked.objects, client, { dryRun: 'server', warn, done });
  return count;
}

/** Parses `--dry-run`; without a value it means `server`. Throws a usage failure for any other value. */
export function dryRunOf(word: boolean | string | undefined): DryRun | undefined {
  if (word === undefined || word === false || word === 'none') return undefined;
  if (word === true || word === 'server') return 'server';
  if (word === 'client') return 'client';
  throw usageFailure(`--dry-run must be client or server, not ${JSON.stringify(word)}`);
}

/** Checks files without storing anything. `tink workflow validate` uses it too. */
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
  readonly dryRun?: DryRun | undefined;
  /** Prints the changes (default: true). */
  readonly diff?: boolean;
  readonly json?: boolean | undefined;
  /** Creates missing namespaces, except in a dry run. */
  readonly createNamespace?: boolean | undefined;
  /** Throws when the files contain an object that the command does not accept. */
  readonly accept?: (objects: readonly LocatedObject[]) => void | Promise<void>;
}

/** Checks the files and applies them. Prints a line for each object. */
export async function applyFiles(
  session: Session,
  files: readonly SourceFile[],
  { dryRun, accept, diff = true, json = false, createNamespace = false }: ApplyFilesOptions = {},
): Promise<void> {
  const { terminal, client } = session;
  const warn = (line: string): void => terminal.err(`${line}\n`);
  const checked = check(session, files);
  const unchecked = await checkAll(checked, client, warn);
  await accept?.(checked.objects);
  if (createNamespace && dryRun === undefined)
    await createNamespaces(checked.objects, client, (name) => warn(`namespace/${name} created`));
  const done = (applied: Applied): void => {
    if (json) return terminal.out(`${JSON.stringify(lineOf(applied, dryRun))}\n`);
    const isShown =
      diff && (applied.operation === 'configured' || (applied.operation === 'created' && dryRun));
    if (isShown)
      terminal.styledErr(shownDiff(objectDiff(applied.name, applied.before, applied.after), terminal));
    terminal.out(`${applied.name} ${applied.operation}${dryRun === undefined ? '' : ' (dry run)'}\n`);
  };
  await applyObjects(checked.objects, client, { dryRun, warn, unchecked, done });
}

function lineOf({ kind, operation, after: { metadata } }: Applied, dryRun: DryRun | undefined): object {
  const { namespace, name, resourceVersion } = metadata;
  const isDry = dryRun !== undefined;
  return {
    kind: kind.kind,
    namespace,
    name,
    deed: operation,
    dryRun: isDry,
    ...(isDry ? {} : { resourceVersion }),
  };
}
