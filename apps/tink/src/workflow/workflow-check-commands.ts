/** `validate` and `render` of `tink workflow` and `tink template`: check files and templates without a workflow. */
import type { Command } from 'commander';
import { templatePlatform } from '@tinkerbell/platform-template';
import { templateKind } from '@tinkerbell/resources';
import {
  foreignImageWarning,
  renderTemplate,
  validateTemplateText,
  type RenderError,
} from '@tinkerbell/template';
import { isManifest } from '../template/bare-template.ts';
import { findHardware } from './create-workflow.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { hardwareMapFor, pairsOf } from './hardware-map.ts';
import { referencesOf } from './hardware-references.ts';
import { readSource, type SourceFile } from '../manifests/manifest-files.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { printableLines } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { validateOnly } from '../apply/apply-command.ts';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';
import { named } from '../client/named.ts';

interface ValidateOptions {
  readonly file?: string;
  readonly json?: boolean;
}

interface RenderOptions {
  readonly hardware?: string;
  readonly file?: string;
  readonly set?: readonly string[];
  readonly json?: boolean;
}

export function addChecks(group: Command, terminal: Terminal): void {
  const name = group.name();
  group
    .command('validate')
    .description(
      'check template text or manifests without a server; renders workflows with the objects in the file',
    )
    .option('-f, --file <path>', 'file, or - for standard input')
    .option('--json', 'print the problems as JSON')
    .addHelpText(
      'after',
      examples(`tink ${name} validate -f template.yaml`, `tink ${name} validate -f site/m1.yaml --json`),
    )
    .action(async (options: ValidateOptions, command: Command) => {
      if (options.file === undefined) throw usageFailure(`${name} validate needs --file FILE`);
      await validate(await sessionOf(command, terminal), options.file, options.json === true);
    });
  group
    .command('render [template]')
    .description('print a template rendered for a machine, without creating a workflow')
    .option('-r, --hardware <name>', 'machine: name of its Hardware, or a MAC')
    .option('-f, --file <path>', 'file with template text, instead of a template on the server')
    .option('--set <name=value>', 'template value; device_1 defaults to the machine’s agent', collected)
    .option('--json', 'print the text and the workflow, or the problems, as JSON')
    .addHelpText(
      'after',
      examples(
        `tink ${name} render debian --hardware m1`,
        `tink ${name} render debian -r 08:00:27:9e:f5:3a --set disk=/dev/sdb`,
        `tink ${name} render -f template.yaml -r m1 --json`,
      ),
    )
    .action(async (template: string | undefined, options: RenderOptions, command: Command) =>
      render(await sessionOf(command, terminal), template, options),
    );
}

async function validate(session: Session, path: string, json: boolean): Promise<void> {
  const file = await readSource(path, session.terminal);
  if (isManifest(file.text)) return validateManifest(session, file, json);
  const checked = validateTemplateText(file.text);
  if (!checked.ok) return refuse(session, { name: file.name, error: checked.error, json });
  const warnings = (checked.foreignImages ?? []).map(
    ({ image, line, column }) => `${file.name}:${line}:${column}: ${foreignImageWarning(image)}`,
  );
  session.terminal.out(
    json
      ? `${JSON.stringify({ valid: true, ...(warnings.length === 0 ? {} : { warnings }) })}\n`
      : `${file.name}: the template is valid\n`,
  );
  if (!json) for (const warning of warnings) session.terminal.err(`warning: ${warning}\n`);
}

async function validateManifest(session: Session, file: SourceFile, json: boolean): Promise<void> {
  if (!json) return validateOnly(session, [file]);
  try {
    await validateOnly({ ...session, terminal: { ...session.terminal, out: () => undefined } }, [file]);
  } catch (thrown) {
    if (!(thrown instanceof TinkFailure)) throw thrown;
    const problems = thrown.message.split('\n').slice(0, -1);
    session.terminal.out(`${JSON.stringify({ valid: false, problems })}\n`);
    throw thrown;
  }
  session.terminal.out('{"valid":true}\n');
}

async function render(session: Session, name: string | undefined, options: RenderOptions): Promise<void> {
  const { text, title } = await templateText(session, name, options.file);
  const hardware = options.hardware === undefined ? undefined : await findHardware(session, options.hardware);
  const rendered = renderTemplate({
    templateName: title,
    text,
    hardware,
    hardwareMap: hardwareMapFor(hardware, pairsOf(options.set ?? [])),
    references: await referencesOf(session, hardware),
    platform: templatePlatform,
  });
  const json = options.json === true;
  if (!rendered.ok) return refuse(session, { name: title, error: rendered.error, json });
  const { terminal } = session;
  if (!json) return terminal.out(rendered.text.endsWith('\n') ? rendered.text : `${rendered.text}\n`);
  const { text: renderedText, workflow } = rendered;
  terminal.out(`${JSON.stringify({ ok: true, text: renderedText, workflow }, plainMaps, 2)}\n`);
}

function plainMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as ReadonlyMap<string, unknown>) : value;
}

async function templateText(
  session: Session,
  name: string | undefined,
  file: string | undefined,
): Promise<{ text: string; title: string }> {
  if ((name === undefined) === (file === undefined))
    throw usageFailure('workflow render needs the name of a template, or --file FILE');
  if (file !== undefined) {
    const source = await readSource(file, session.terminal);
    if (!isManifest(source.text)) return { text: source.text, title: source.name };
    throw usageFailure(
      `${source.name} is a manifest; render accepts only bare template text`,
      `to render the workflows of manifests, run tink workflow validate -f ${file}`,
    );
  }
  const target = await named(session, templateKind, name ?? '');
  const template = await withCloseNames(session.client, target, () => session.client.get(target));
  return { text: template.spec?.data ?? '', title: target.name };
}

interface Fault {
  readonly name: string;
  readonly error: RenderError;
  readonly json: boolean;
}

function refuse({ terminal }: Session, { name, error, json }: Fault): never {
  if (json) terminal.out(`${JSON.stringify({ ok: false, error }, undefined, 2)}\n`);
  const rendered = error.where === 'rendered' ? 'rendered text, ' : '';
  const field = error.path === undefined ? '' : `${error.path}: `;
  const excerpt = printableLines(error.excerpt)
    .map((line) => `  ${line}\n`)
    .join('');
  const place = `${name}: ${rendered}line ${error.line}, column ${error.column}`;
  throw new TinkFailure(`${place}: ${field}${error.message}\n${excerpt}1 problem`);
}
