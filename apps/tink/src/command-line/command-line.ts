/** Building blocks of all command files. */
import type { Command } from 'commander';
import { openSession, type GlobalOptions, type Session } from '../client/session.ts';
import { parsePath } from '../output/jsonpath/parse-jsonpath.ts';
import { OUTPUT_FORMATS, parseOutput } from '../output/output-format.ts';
import type { ShowOptions } from '../get/show-objects.ts';
import type { Terminal } from '../output/terminal.ts';

/** Collects `-f a -f b` into a list. */
export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Text after a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

export function sessionOf(command: Command, terminal: Terminal): Promise<Session> {
  return openSession(command.optsWithGlobals<GlobalOptions>(), terminal);
}

/** Options of commands that list objects. */
export interface ListingOptions {
  readonly output: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly sortBy?: string;
  readonly showLabels?: boolean;
}

export function withListingOptions(command: Command): Command {
  return command
    .option('-o, --output <format>', `output format: ${OUTPUT_FORMATS}`, 'table')
    .option('-A, --all-namespaces', 'show objects of all namespaces')
    .option('-l, --selector <labels>', 'select by labels: a=b,c!=d,e in (f,g),h')
    .option('--field-selector <fields>', 'select by fields: metadata.name=m1')
    .option('--sort-by <path>', 'sort by a field: .metadata.creationTimestamp')
    .option('--show-labels', 'add a column with the labels');
}

/** Throws a usage failure for an invalid format or path. */
export function showOptionsOf(session: Session, options: ListingOptions): ShowOptions {
  return {
    output: parseOutput(options.output),
    showLabels: options.showLabels === true,
    sortBy: options.sortBy === undefined ? undefined : parsePath(options.sortBy),
    namespace: options.allNamespaces ? undefined : session.namespace,
    labelSelector: options.selector,
    fieldSelector: options.fieldSelector,
  };
}

/** Parses the words after a verb: `hardware m1 m2` or `hardware/m1`. */
export function splitName(words: readonly string[]): {
  readonly kinds: string;
  readonly names: readonly string[];
} {
  const [first = '', ...names] = words;
  const at = first.indexOf('/');
  if (at < 0) return { kinds: first, names };
  const prefix = first.slice(0, at + 1);
  const all = [first, ...names].map((word) => (word.startsWith(prefix) ? word.slice(prefix.length) : word));
  return { kinds: first.slice(0, at), names: all };
}
