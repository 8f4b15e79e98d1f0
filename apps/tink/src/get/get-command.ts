import type { Command } from 'commander';
import type { ApiKind } from '../client/api-kind.ts';
import { usageFailure } from '../failure.ts';
import { kindsOf } from '../client/kind-names.ts';
import type { Session } from '../client/session.ts';
import { showObjects } from './show-objects.ts';
import type { Terminal } from '../output/terminal.ts';
import { watchObjects } from './watch-objects.ts';
import { getUnknown, isUnknownMachines } from '../unknown/unknown-command.ts';
import {
  examples,
  sessionOf,
  showOptionsOf,
  splitName,
  withListingOptions,
  type ListingOptions,
} from '../command-line/command-line.ts';

type GetOptions = ListingOptions & { readonly watch?: boolean };

export function addGet(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('get <kind> [names...]')
    .description(
      'list or show objects: hardware, templates, workflows, …, any other kind of the server, or all',
    )
    .option('-w, --watch', 'keep printing changes');
  withListingOptions(command)
    .addHelpText(
      'after',
      examples(
        'tink get hardware',
        'tink get unknown                  machines that asked to boot and are not registered',
        'tink get wf -A -o wide            workflows of all namespaces, all columns',
        'tink get hardware m1 -o yaml',
        'tink get hardware/m1 -o json',
        'tink get hw,tpl,wf                several kinds; "all" is short for these',
        'tink get workflows -w             also print every change',
        'tink get hardware -l rack=r7 -o name',
        "tink get hw -o jsonpath='{.items[*].spec.interfaces[*].dhcp.mac}'",
        'tink get hw -o custom-columns=NAME:.metadata.name,MAC:.spec.interfaces[*].dhcp.mac',
        'tink get wf --sort-by .metadata.creationTimestamp',
        'tink get wf -w -o json            print every change as one line',
      ),
    )
    .action(async (kind: string, names: readonly string[], options: GetOptions) => {
      const wanted = splitName([kind, ...names]);
      const session = await sessionOf(command, terminal);
      if (isUnknownMachines(kind)) return getUnknown(session, options.output);
      await get(
        session,
        { kinds: await kindsOf(wanted.kinds, session.client), names: wanted.names },
        options,
      );
    });
}

/** `tink hardware list` and the like use it too. */
export async function get(
  session: Session,
  { kinds, names }: { readonly kinds: readonly ApiKind[]; readonly names: readonly string[] },
  options: GetOptions,
): Promise<void> {
  if (names.length > 0 && options.allNamespaces)
    throw usageFailure('names and --all-namespaces cannot be combined');
  if (names.length > 0 && (options.selector ?? options.fieldSelector))
    throw usageFailure('names and selectors cannot be combined');
  const [kind, ...others] = kinds;
  const show = showOptionsOf(session, options);
  if (!options.watch) return showObjects(session, { kinds, names }, show);
  if (kind === undefined || others.length > 0) throw usageFailure('--watch needs exactly one kind');
  await watchObjects(session, { kind, names }, show);
}
