import { Option, type Command } from 'commander';
import type { ApiKind } from '../client/api-kind.ts';
import type { ObjectName } from '../client/client.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { kindOf, nameOf } from '../client/kind-names.ts';
import { readManifestFiles } from '../manifests/manifest-files.ts';
import { checkManifests, formatManifestProblem } from '../manifests/manifest-objects.ts';
import { NotFoundFailure, withCloseNames } from '../client/name-advice.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { waitFor } from '../wait/wait-objects.ts';
import { collected, examples, sessionOf, splitName } from '../command-line/command-line.ts';
import { isOneChoice } from '../command-line/choice.ts';
import { named } from '../client/named.ts';

interface DeleteOptions {
  readonly all?: boolean;
  readonly selector?: string;
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly cascade?: keyof typeof cascades;
  readonly wait?: boolean;
  readonly timeout?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const cascades = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;
const WAIT_DEFAULT = '5m';

export function addDelete(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('delete [kind] [names...]')
    .description('delete objects by name or labels, or the objects in files')
    .option('-f, --filename <path>', 'file, folder, or - for standard input; may be repeated', collected)
    .option('-R, --recursive', 'include subfolders')
    .option('-l, --selector <labels>', 'delete the objects with these labels: a=b,c!=d')
    .option('--all', 'delete all objects of the kind in the namespace')
    .option('--ignore-not-found', 'do not fail for objects that do not exist')
    .addOption(
      new Option('--cascade <how>', 'how to delete the objects that these own (default: background)').choices(
        Object.keys(cascades),
      ),
    )
    .option('--wait', 'wait until the objects and their finalizers are gone')
    .option('--timeout <time>', `time limit of --wait, such as 90s or 10m (default: ${WAIT_DEFAULT})`)
    .option('--dry-run', 'run the server’s checks without deleting')
    .option('--json', 'print one JSON line for each object')
    .addHelpText(
      'after',
      examples(
        'tink delete workflow m1-debian',
        'tink delete hw/m1 hw/m2',
        'tink delete workflow -l rack=r7',
        'tink delete -f examples/debian --wait',
        'tink delete hw m1 --cascade orphan     keep the objects that it owns',
      ),
    )
    .action(async (kind: string | undefined, words: readonly string[], options: DeleteOptions) => {
      if ((kind === undefined) === (options.filename === undefined))
        throw usageFailure('delete needs a kind and names, or -f FILE');
      if (kind === undefined && (options.selector !== undefined || options.all === true))
        throw usageFailure('-f cannot be combined with --selector and --all');
      const session = await sessionOf(command, terminal);
      if (kind === undefined) return deleteAll(session, await targetsIn(session, options), options);
      const { kinds, names } = splitName([kind, ...words]);
      await deleteNamed(session, { kind: await kindOf(kinds, session.client), names }, options);
    });
}

export async function deleteNamed(
  session: Session,
  { kind, names }: { readonly kind: ApiKind; readonly names: readonly string[] },
  options: DeleteOptions = {},
): Promise<void> {
  if (!isOneChoice({ names, ...options }))
    throw usageFailure(
      `delete needs the names of ${kind.plural}, --selector LABELS or --all, and only one of them`,
      `list the names: tink get ${kind.plural}`,
    );
  const targets =
    names.length === 0
      ? await chosen(session, kind, options)
      : await Promise.all(names.map((name) => named(session, kind, name)));
  await deleteAll(session, targets, options);
}

async function chosen(
  { client, terminal, namespace }: Session,
  kind: ApiKind,
  { selector }: DeleteOptions,
): Promise<readonly ObjectName[]> {
  const place = kind.namespaced === false ? {} : { namespace };
  const { items } = await client.list(kind, { ...place, labelSelector: selector });
  if (items.length === 0) terminal.err(`no ${kind.plural} were selected\n`);
  return items.map(({ metadata }) => ({ kind, namespace, name: metadata.name }));
}

/** Deletes in reverse order: a Workflow before its Template. */
async function targetsIn(session: Session, options: DeleteOptions): Promise<readonly ObjectName[]> {
  const files = await readManifestFiles(options.filename ?? [], session.terminal, options);
  const { objects, problems } = checkManifests(files, {
    fallback: session.namespace,
    required: session.namespaceAsked,
  });
  if (objects.length === 0 && problems.length > 0)
    throw new TinkFailure([...problems.map(formatManifestProblem), 'nothing was deleted'].join('\n'));
  return objects.map(({ kind, resource: { metadata } }) => ({ kind, ...metadata })).reverse();
}

async function deleteAll(
  session: Session,
  targets: readonly ObjectName[],
  options: DeleteOptions,
): Promise<void> {
  const { client, terminal } = session;
  const { ignoreNotFound = false, dryRun = false } = options;
  const timeoutSeconds = secondsOf('--timeout', options.timeout ?? WAIT_DEFAULT);
  const cascade = options.cascade === undefined ? undefined : cascades[options.cascade];
  const onWarning = (text: string): void => terminal.err(`warning: ${printable(text)}\n`);
  const deleted: ObjectName[] = [];
  for (const target of targets) {
    try {
      await withCloseNames(client, target, () => client.remove(target, { cascade, dryRun, onWarning }));
    } catch (thrown) {
      if (!ignoreNotFound || !(thrown instanceof NotFoundFailure)) throw thrown;
      continue;
    }
    deleted.push(target);
    terminal.out(deletedLine(target, options));
  }
  if (options.wait && !dryRun)
    await waitFor(session, deleted, { condition: { wanted: 'delete' }, timeoutSeconds });
}

function deletedLine({ kind, namespace, name }: ObjectName, { json, dryRun = false }: DeleteOptions): string {
  const line = { kind: kind.kind, namespace, name, deed: 'deleted', dryRun };
  if (json) return `${JSON.stringify(line)}\n`;
  return `${nameOf(kind, name)} deleted${dryRun ? ' (dry run)' : ''}\n`;
}
