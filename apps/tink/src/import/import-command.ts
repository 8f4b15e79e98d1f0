/** `tink import` and `tink export`. */
import { writeFile } from 'node:fs/promises';
import { messageOf } from '@tinkerbell/platform-contract';
import { Option, type Command } from 'commander';
import { hardwareKind, type Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { ownKinds } from '../client/discovery.ts';
import { createNamespaces } from '../client/create-namespaces.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { exampleCsv, hardwareFromCsv, hardwareToCsv, repeated, type Imported } from './hardware-csv.ts';
import { largeSource, manifestChunks } from './large-file.ts';
import { storeHardware } from './store-hardware.ts';
import { kindsOf } from '../client/kind-names.ts';
import type { SourceFile } from '../manifests/manifest-files.ts';
import { checkManifests, formatManifestProblem, problemAt } from '../manifests/manifest-objects.ts';
import { cleaned } from '../output/object-diff.ts';
import { progressLine } from '../output/progress-line.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

interface ImportOptions {
  readonly example?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly createNamespace?: boolean;
}

const PROBLEMS_SHOWN = 50;

export function addImport(program: Command, terminal: Terminal): void {
  program
    .command('import [file]')
    .description('register many machines from a CSV or YAML file, or from - for standard input')
    .option('--example', 'print an example CSV')
    .option('--dry-run', 'run the server’s checks without storing anything')
    .option('--json', 'print the summary as JSON')
    .option('--create-namespace', 'create missing namespaces')
    .addHelpText(
      'after',
      examples(
        'tink import --example > machines.csv',
        'tink import machines.csv --dry-run',
        'tink import machines.csv            safe to repeat: unchanged machines are skipped',
        'tink import machines.yaml --json',
      ),
    )
    .action(async (path: string | undefined, options: ImportOptions, command: Command) => {
      if (options.example) return terminal.out(exampleCsv());
      if (path === undefined)
        throw usageFailure('import needs a file', 'tink import --example prints an example');
      await importFile(await sessionOf(command, terminal), await largeSource(path, terminal), options);
    });
}

async function importFile(
  session: Session,
  file: SourceFile,
  { dryRun = false, json = false, createNamespace = false }: ImportOptions,
): Promise<void> {
  const { terminal } = session;
  const { objects, problems } = hardwareIn(session, file);
  refuseProblems(problems);
  const named = (name: string): void => terminal.err(`namespace/${name} created\n`);
  if (createNamespace && !dryRun) await createNamespaces(objects, session.client, named);
  const progress = progressLine(terminal, dryRun ? 'trying' : 'importing', objects.length);
  const refused = (place: string, why: string): void => terminal.err(`${place}: ${why}\n`);
  const summary = await storeHardware(session, objects, { dryRun, progress, refused });
  const { created, configured, unchanged, failed } = summary;
  const text = `${created} created, ${configured} configured, ${unchanged} unchanged, ${failed} failed`;
  const line = json ? JSON.stringify({ ...summary, total: objects.length, dryRun }) : text;
  terminal.out(`${line}${dryRun && !json ? ' (dry run)' : ''}\n`);
  if (failed > 0)
    throw new TinkFailure(`${failed} of ${objects.length} machines were rejected`, {
      advice: 'correct those lines and import the same file again; the others are skipped',
    });
}

function hardwareIn(session: Session, file: SourceFile): Imported {
  const isYaml = /\.(ya?ml|json)$/i.test(file.name) || /^\s*(apiVersion:|kind:|---|\{)/.test(file.text);
  return isYaml ? hardwareFromYaml(session, file) : hardwareFromCsv(file.text, file.name, session.namespace);
}

function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const rest = more > 0 ? [`… and ${more} more`] : [];
  throw new TinkFailure([...shown, ...rest, `${count}; nothing was sent`].join('\n'));
}

function hardwareFromYaml({ namespace, namespaceAsked }: Session, file: SourceFile): Imported {
  const choice = { fallback: namespace, required: namespaceAsked };
  const checked = manifestChunks(file).map((chunk) => checkManifests([chunk], choice));
  const all = checked.flatMap(({ objects }) => objects);
  const others = all.filter(({ kind }) => kind !== hardwareKind);
  const wrongKinds = others.map((one) =>
    problemAt(
      one,
      ['kind'],
      `kind: "${one.kind.kind}": import accepts only Hardware; use tink apply -f for other kinds`,
    ),
  );
  const problems = [...checked.flatMap(({ problems }) => problems), ...wrongKinds];
  const objects = all.map(({ resource, node }) => ({
    resource,
    place: `${file.name}:${node.position.line}`,
  }));
  return { objects, problems: [...problems.map(formatManifestProblem), ...repeated(objects)] };
}

interface ExportOptions {
  readonly output: 'yaml' | 'csv';
  readonly file?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly withStatus?: boolean;
}

export function addExport(program: Command, terminal: Terminal): void {
  program
    .command('export [kinds]')
    .description('write objects as files that you can apply elsewhere: hardware,templates,… or all')
    .addOption(
      new Option('-o, --output <format>', 'output format; csv supports only hardware')
        .choices(['yaml', 'csv'])
        .default('yaml'),
    )
    .option('--file <path>', 'file to write (default: standard output)')
    .option('-A, --all-namespaces', 'export objects of all namespaces')
    .option('-l, --selector <labels>', 'select by labels')
    .option('--with-status', 'include status, uid and revision')
    .addHelpText(
      'after',
      examples(
        'tink export hardware -o csv --file machines.csv    for tink import',
        'tink export all -A --file site.yaml                all Tinkerbell kinds',
        'tink export wf,tpl --with-status',
      ),
    )
    .action(async (words: string | undefined, options: ExportOptions, command: Command) => {
      const session = await sessionOf(command, terminal);
      const text = await exportText(session, words ?? 'all', options);
      if (options.file === undefined) return terminal.out(text);
      await writeFile(options.file, text, { mode: 0o600 }).catch((error: unknown) => {
        throw new TinkFailure(`cannot write ${options.file}: ${messageOf(error)}`);
      });
      terminal.err(`${options.file} written\n`);
    });
}

async function exportText(session: Session, words: string, options: ExportOptions): Promise<string> {
  const { client } = session;
  const kinds = words === 'all' ? ownKinds : await kindsOf(words, client);
  if (options.output === 'csv' && (kinds.length !== 1 || kinds[0] !== hardwareKind))
    throw usageFailure('-o csv supports only hardware', 'tink export hardware -o csv');
  const namespace = options.allNamespaces ? undefined : session.namespace;
  const objects: Resource[] = [];
  for (const kind of kinds)
    objects.push(...(await client.list(kind, { namespace, labelSelector: options.selector })).items);
  if (options.output === 'csv') return hardwareToCsv(objects);
  return objects.map((one) => stringifyYaml(options.withStatus ? one : cleaned(one))).join('---\n');
}
