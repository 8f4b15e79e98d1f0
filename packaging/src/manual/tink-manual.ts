/** tink(1), from the help of every command. */
import type { CommandPage } from '@tinkerbell/app-tink';
import { heading, item, pageHead, paragraph, subheading, verbatim } from './roff.ts';

/** The first page is that of `tink` itself. */
export function tinkManual([tink, ...commands]: readonly CommandPage[], version: string): string {
  if (tink === undefined) throw new TypeError('there is no page of tink');
  return [
    pageHead({ name: 'tink', section: 1, version, summary: 'operate Tinkerbell' }),
    heading('SYNOPSIS'),
    verbatim(`${tink.name} ${tink.usage}`),
    heading('DESCRIPTION'),
    paragraph(tink.description),
    heading('OPTIONS'),
    ...tink.options.map(optionItem),
    verbatim(tink.details),
    heading('COMMANDS'),
    ...commands.map(commandText),
    heading('SEE ALSO'),
    paragraph('tinkerbell(8)'),
  ].join('');
}

function commandText({ name, usage, description, options, details }: CommandPage): string {
  const own = options.filter(({ flags }) => !flags.includes('--help'));
  return [
    subheading(`${name} ${usage}`),
    paragraph(description),
    ...own.map(optionItem),
    details === '' ? '' : verbatim(details),
  ].join('');
}

function optionItem({ flags, description }: CommandPage['options'][number]): string {
  return item(flags, description);
}
