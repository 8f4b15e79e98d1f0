import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { templateKind } from '@tinkerbell/resources';
import { validateTemplateText } from '@tinkerbell/template';
import { isManifest, manifestOf, nameInTemplate, objectNameFor, templateOf } from './bare-template.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { readSource, type SourceFile } from '../manifests/manifest-files.ts';
import { templateTextOf, type LocatedObject } from '../manifests/manifest-objects.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { applyFiles } from '../apply/apply-command.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { addKindVerbs } from '../command-line/kind-verbs.ts';
import { addChecks } from '../workflow/workflow-check-commands.ts';

interface CreateOptions {
  readonly file?: string;
  readonly name?: string;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
}

export function addTemplate(program: Command, terminal: Terminal): void {
  const group = program
    .command('template')
    .alias('tpl')
    .description('manage templates: create, list, get, describe, delete');
  group
    .command('create')
    .description('create a template from a manifest or from bare template text')
    .option('--file <path>', 'file, or - for standard input')
    .option('--name <name>', 'name of the template (default: the name in the text)')
    .option('--replace', 'replace an existing template of that name')
    .option('--dry-run', 'run the server’s checks without storing anything')
    .addHelpText(
      'after',
      examples(
        'tink template create --file template.yaml',
        'tink template create --file template.yaml --name debian-12',
        'tink template create --file template.yaml --replace',
      ),
    )
    .action(async (options: CreateOptions, command: Command) => {
      if (options.file === undefined) throw usageFailure('template create needs --file FILE');
      await createTemplate(await sessionOf(command, terminal), options.file, options);
    });
  addChecks(group, terminal);
  addKindVerbs(group, templateKind, terminal);
}

async function createTemplate(session: Session, path: string, options: CreateOptions): Promise<void> {
  const file = await readSource(path, session.terminal);
  const manifest = isManifest(file.text)
    ? named(file, options.name)
    : wrapped(file, session.namespace, options.name);
  const accept = async (objects: readonly LocatedObject[]): Promise<void> => {
    onlyTemplates(objects);
    if (!options.replace) await refuseChanges(session, objects);
  };
  await applyFiles(session, [manifest], { dryRun: options.dryRun ? 'server' : undefined, accept });
}

function named(file: SourceFile, name: string | undefined): SourceFile {
  if (name === undefined) return file;
  throw usageFailure(`${file.name} is a manifest with its own template name; remove --name`);
}

/** Reports problems at their place in the text, before it is wrapped. */
function wrapped(file: SourceFile, namespace: string, asked: string | undefined): SourceFile {
  const checked = validateTemplateText(file.text);
  if (!checked.ok) {
    const { line, column, message } = checked.error;
    throw new TinkFailure(`${file.name}:${line}:${column}: ${message}\n1 problem; nothing was sent`);
  }
  const name = asked ?? nameInTemplate(file.text);
  if (name === undefined) {
    throw usageFailure(`${file.name} has no name at its top level`, 'set one with --name NAME');
  }
  const objectName = objectNameFor(name);
  if (objectName !== name) {
    const advice = objectName === '' ? 'set one with --name NAME' : `set one with --name ${objectName}`;
    throw usageFailure(
      `${JSON.stringify(name)} is not a valid object name: use lower-case letters, digits, "-" and "."`,
      advice,
    );
  }
  return { name: file.name, text: manifestOf(templateOf(file.text, name, namespace)) };
}

function onlyTemplates(objects: readonly LocatedObject[]): void {
  const other = objects.find(({ kind }) => kind !== templateKind);
  if (other === undefined) return;
  throw new TinkFailure(
    `${other.file.name} contains a ${other.kind.kind}; template create accepts only Templates`,
    {
      advice: `to apply any kind, run tink apply -f ${other.file.name}`,
    },
  );
}

/** Creating the same template twice has no effect. Different text under an existing name is an error. */
async function refuseChanges({ client }: Session, objects: readonly LocatedObject[]): Promise<void> {
  for (const { kind, resource } of objects) {
    const { namespace, name } = resource.metadata;
    const current = await client.find({ kind, namespace, name });
    if (current === undefined || isDeepStrictEqual(templateTextOf(current), templateTextOf(resource)))
      continue;
    throw new TinkFailure(`template/${name} already exists with different text`, {
      advice: 'replace it with --replace, or choose another name',
    });
  }
}
