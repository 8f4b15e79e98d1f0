/** The verbs that `tink hardware`, `tink template` and `tink workflow` share. */
import type { Command } from 'commander';
import type { Kind } from '@tinkerbell/resources';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf, withListingOptions, type ListingOptions } from './command-line.ts';
import { deleteNamed } from '../delete/delete-command.ts';
import { describe } from '../describe/describe-command.ts';
import { get } from '../get/get-command.ts';

type ListOptions = ListingOptions & { readonly watch?: boolean };

export function addKindVerbs(group: Command, kind: Kind, terminal: Terminal): void {
  const word = kind.singular;
  withListingOptions(group.command('list').alias('ls'))
    .description(`list all ${kind.plural}`)
    .option('-w, --watch', 'keep printing changes')
    .addHelpText(
      'after',
      examples(`tink ${word} list`, `tink ${word} list -A -o wide`, `tink ${word} list -w`),
    )
    .action(async (options: ListOptions, command: Command) =>
      get(await sessionOf(command, terminal), { kinds: [kind], names: [] }, options),
    );
  withListingOptions(group.command('get <names...>'))
    .description(`show one or more ${kind.plural}`)
    .addHelpText('after', examples(`tink ${word} get NAME`, `tink ${word} get NAME -o yaml`))
    .action(async (names: readonly string[], options: ListOptions, command: Command) =>
      get(await sessionOf(command, terminal), { kinds: [kind], names }, options),
    );
  group
    .command('describe <names...>')
    .description(`show details of one or more ${kind.plural}`)
    .addHelpText('after', examples(`tink ${word} describe NAME`))
    .action(async (names: readonly string[], _options: unknown, command: Command) =>
      describe(kind, names, await sessionOf(command, terminal)),
    );
  group
    .command('delete <names...>')
    .description(`delete one or more ${kind.plural}`)
    .addHelpText('after', examples(`tink ${word} delete NAME`))
    .action(async (names: readonly string[], _options: unknown, command: Command) =>
      deleteNamed(await sessionOf(command, terminal), { kind, names }),
    );
}
