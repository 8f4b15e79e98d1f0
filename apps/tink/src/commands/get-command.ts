import type { Command } from 'commander';
import type { Kind } from '@tinkerbell/resources';
import { usageFailure } from '../failure.ts';
import { kindsOf } from '../kind-names.ts';
import { showObjects, watchObjects } from '../show-objects.ts';
import type { Terminal } from '../terminal.ts';
import {
  examples,
  sessionOf,
  showOptionsOf,
  splitName,
  withListingOptions,
  type ListingOptions,
} from './command-line.ts';

type GetOptions = ListingOptions & { readonly watch?: boolean };

export function addGet(program: Command, terminal: Terminal): void {
  const command = program
    .command('get <kind> [names...]')
    .description('show objects of a kind: hardware, templates, workflows, …; or all')
    .option('-w, --watch', 'go on showing changes');
  withListingOptions(command)
    .addHelpText(
      'after',
      examples(
        'tink get hardware',
        'tink get wf -A -o wide            workflows of all namespaces, all columns',
        'tink get hardware m1 -o yaml',
        'tink get hardware/m1 -o json',
        'tink get hw,tpl,wf                several kinds; "all" is short for these',
        'tink get workflows -w             and every change',
        'tink get hardware -l rack=r7 -o name',
      ),
    )
    .action(async (kind: string, names: readonly string[], options: GetOptions, self: Command) => {
      const wanted = splitName([kind, ...names]);
      await get(kindsOf(wanted.kinds), wanted.names, { options, command: self, terminal });
    });
}

/** Also what `tink hardware list` and the like do. */
export async function get(
  kinds: readonly Kind[],
  names: readonly string[],
  { options, command, terminal }: { options: GetOptions; command: Command; terminal: Terminal },
): Promise<void> {
  if (names.length > 0 && options.allNamespaces)
    throw usageFailure('names and --all-namespaces do not go together');
  if (names.length > 0 && options.selector) throw usageFailure('names and --selector do not go together');
  const [kind, ...others] = kinds;
  const session = await sessionOf(command, terminal);
  const show = showOptionsOf(session, options);
  if (!options.watch) return showObjects(session, { kinds, names }, show);
  if (kind === undefined || others.length > 0) throw usageFailure('--watch takes one kind');
  if (!['table', 'wide'].includes(options.output))
    throw usageFailure('--watch prints a table; take -o table or -o wide');
  await watchObjects(session, { kind, names }, show);
}
