import type { Command } from 'commander';
import type { ApiKind } from '../api-kind.ts';
import type { ObjectName } from '../client.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { kindOf, nameOf } from '../kind-names.ts';
import { readManifestFiles } from '../manifest-files.ts';
import { checkManifests, formatManifestProblem } from '../manifest-objects.ts';
import { withCloseNames } from '../name-advice.ts';
import type { Session } from '../session.ts';
import { ApiFailure } from '../server-failure.ts';
import type { Terminal } from '../terminal.ts';
import { collected, examples, sessionOf, splitName } from './command-line.ts';

interface DeleteOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly ignoreNotFound?: boolean;
}

export function addDelete(program: Command, terminal: Terminal): void {
  program
    .command('delete [kind] [names...]')
    .description('delete objects, by name or as files name them')
    .option('-f, --filename <path>', 'file, folder or - for standard input; may be repeated', collected)
    .option('-R, --recursive', 'also the folders within a folder')
    .option('--ignore-not-found', 'what is gone already is no failure')
    .addHelpText(
      'after',
      examples('tink delete workflow m1-debian', 'tink delete hw/m1 hw/m2', 'tink delete -f examples/debian'),
    )
    .action(
      async (
        kind: string | undefined,
        words: readonly string[],
        options: DeleteOptions,
        command: Command,
      ) => {
        if ((kind === undefined) === (options.filename === undefined))
          throw usageFailure('delete needs a kind and names, or -f FILE');
        const session = await sessionOf(command, terminal);
        if (kind === undefined) return deleteAll(session, await targetsIn(session, options), options);
        const { kinds, names } = splitName([kind, ...words]);
        await deleteNamed(session, { kind: await kindOf(kinds, session.client), names }, options);
      },
    );
}

export async function deleteNamed(
  session: Session,
  { kind, names }: { readonly kind: ApiKind; readonly names: readonly string[] },
  options: Pick<DeleteOptions, 'ignoreNotFound'> = {},
): Promise<void> {
  if (names.length === 0)
    throw usageFailure(`delete needs the name of a ${kind.singular}`, `tink get ${kind.plural} lists them`);
  const targets = names.map((name) => ({ kind, name, namespace: session.namespace }));
  await deleteAll(session, targets, options);
}

/** In reverse: a Workflow goes before its Template. */
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
  { client, terminal }: Session,
  targets: readonly ObjectName[],
  { ignoreNotFound = false }: Pick<DeleteOptions, 'ignoreNotFound'>,
): Promise<void> {
  for (const target of targets) {
    try {
      await withCloseNames(client, target, () => client.remove(target));
      terminal.out(`${nameOf(target.kind, target.name)} deleted\n`);
    } catch (thrown) {
      const isGone = thrown instanceof TinkFailure && !(thrown instanceof ApiFailure) && ignoreNotFound;
      if (!isGone || !/ not found( |$)/.test(thrown.message)) throw thrown;
    }
  }
}
