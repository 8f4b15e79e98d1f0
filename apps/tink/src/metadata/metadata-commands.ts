/** `tink label` and `tink annotate`. */
import type { Command } from 'commander';
import type { Resource } from '@tinkerbell/resources';
import type { ApiKind } from '../client/api-kind.ts';
import { isOneChoice } from '../command-line/choice.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { kindOf, nameOf } from '../client/kind-names.ts';
import { metadataChange, splitWords, wishesOf } from './metadata-change.ts';
import type { Session } from '../client/session.ts';
import { fetchObjects } from '../get/show-objects.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf, splitName } from '../command-line/command-line.ts';

interface MetadataOptions {
  readonly overwrite?: boolean;
  readonly all?: boolean;
  readonly selector?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

type Field = 'labels' | 'annotations';

export function addMetadataCommands(program: Command, terminal: Terminal): void {
  addOne(program, terminal, {
    verb: 'label',
    field: 'labels',
    lines: [
      'tink label hardware m1 rack=r7',
      'tink label hw/m1 rack=r8 --overwrite',
      'tink label hw m1 m2 rack-             remove the label',
      'tink label hw -l rack=r7 room=west    all objects with that label',
    ],
  });
  addOne(program, terminal, {
    verb: 'annotate',
    field: 'annotations',
    lines: ['tink annotate hardware m1 note="power supply replaced"', 'tink annotate hw/m1 note-'],
  });
}

interface Verb {
  readonly verb: 'label' | 'annotate';
  readonly field: Field;
  readonly lines: readonly string[];
}

function addOne(program: Command, terminal: Terminal, { verb, field, lines }: Verb): void {
  const command: Command = program
    .command(`${verb} <kind> [words...]`)
    .description(`set ${field} of objects (KEY=VALUE) or remove them (KEY-)`)
    .option('--overwrite', 'replace different values')
    .option('--all', 'select all objects of the kind in the namespace')
    .option('-l, --selector <labels>', 'select by labels')
    .option('--dry-run', 'run the server’s checks without storing anything')
    .option('--json', 'print one JSON line for each object')
    .addHelpText('after', examples(...lines))
    .action(async (kind: string, words: readonly string[], options: MetadataOptions) => {
      const { names: named, changes } = splitWords(words);
      const { kinds, names } = splitName([kind, ...named]);
      const wishes = wishesOf(changes);
      if (wishes.size === 0)
        throw usageFailure(`${verb} needs KEY=VALUE or KEY-`, `for example: ${lines[0]}`);
      if (!isOneChoice({ names, ...options }))
        throw usageFailure(`${verb} needs names, --all or --selector, and only one of them`);
      const session = await sessionOf(command, terminal);
      const apiKind = await kindOf(kinds, session.client);
      const found = await fetchObjects(
        session,
        { kind: apiKind, names },
        { namespace: session.namespace, labelSelector: options.selector },
      );
      await changeAll(session, { kind: apiKind, objects: found, field, wishes }, options);
    });
}

interface Change {
  readonly kind: ApiKind;
  readonly objects: readonly Resource[];
  readonly field: Field;
  readonly wishes: ReadonlyMap<string, string | null>;
}

/** Changes nothing if one of the objects may not be changed. */
async function changeAll(
  { client, terminal }: Session,
  { kind, objects, field, wishes }: Change,
  options: MetadataOptions,
): Promise<void> {
  const planned = objects.map((object) => ({
    object,
    ...metadataChange(object.metadata[field], wishes, options.overwrite === true),
  }));
  const refused = planned.find(({ taken }) => taken.length > 0);
  if (refused !== undefined) {
    const [key = ''] = refused.taken;
    const value = refused.object.metadata[field]?.[key] ?? '';
    const name = nameOf(kind, refused.object.metadata.name);
    throw new TinkFailure(`${name} has ${key}=${value}; nothing was changed`, { advice: 'add --overwrite' });
  }
  const done = field === 'labels' ? 'labeled' : 'annotated';
  for (const { object, patch } of planned) {
    const { name, namespace, resourceVersion } = object.metadata;
    const isChanged = Object.keys(patch).length > 0;
    const body = { metadata: { resourceVersion, [field]: patch } };
    const dryRun = options.dryRun === true;
    if (isChanged) await client.patch({ kind, name, namespace }, { type: 'merge', body, dryRun });
    const operation = isChanged ? done : 'unchanged';
    const line = JSON.stringify({ kind: kind.kind, namespace, name, deed: operation, dryRun });
    terminal.out(
      options.json ? `${line}\n` : `${nameOf(kind, name)} ${operation}${dryRun ? ' (dry run)' : ''}\n`,
    );
  }
  if (objects.length === 0) terminal.err(`no ${kind.plural} are selected; nothing was changed\n`);
}
