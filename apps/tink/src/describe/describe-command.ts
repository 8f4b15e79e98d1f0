import type { Command } from 'commander';
import {
  hardwareKind,
  isOfKind,
  templateKind,
  workflowKind,
  type Resource,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import type { ApiKind } from '../client/api-kind.ts';
import type { ObjectName } from '../client/client.ts';
import { printStates } from '../output/colour.ts';
import { describeHardware } from './describe-hardware.ts';
import { fieldsText, identityFields, section, tableSection } from './describe-text.ts';
import { shownState } from '@tinkerbell/workflow';
import { describeWorkflow } from './describe-workflow.ts';
import { usageFailure } from '../failure.ts';
import { kindOf } from '../client/kind-names.ts';
import { masked } from '../output/masked-secrets.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { printableLines } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf, splitName } from '../command-line/command-line.ts';
import { named } from '../client/named.ts';

export function addDescribe(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('describe <kind> [names...]')
    .description(
      'show details of objects: the actions of a workflow, the network interfaces and last events of a machine',
    )
    .addHelpText(
      'after',
      examples('tink describe workflow m1-debian', 'tink describe hw/m1', 'tink describe template debian'),
    )
    .action(async (kind: string, words: readonly string[]) => {
      const { kinds, names } = splitName([kind, ...words]);
      const session = await sessionOf(command, terminal);
      await describe(await kindOf(kinds, session.client), names, session);
    });
}

export async function describe(kind: ApiKind, names: readonly string[], session: Session): Promise<void> {
  if (names.length === 0) {
    throw usageFailure(
      `describe needs the name of a ${kind.singular}`,
      `list the names: tink get ${kind.plural}`,
    );
  }
  const texts = [];
  for (const name of names) texts.push(await descriptionOf(await named(session, kind, name), session));
  printStates(session.terminal, texts.join('\n'));
}

async function descriptionOf(target: ObjectName, { client, terminal }: Session): Promise<string> {
  const object = await withCloseNames(client, target, () => client.get(target));
  const { namespace, name } = target;
  if (isOfKind(object, workflowKind))
    return describeWorkflow(object, await client.timeline(target, 0), terminal.clock.nowMs());
  if (isOfKind(object, hardwareKind)) {
    const { items } = await client.list(workflowKind, { namespace });
    const workflows = workflowsOf(items, 'hardwareRef', name);
    return describeHardware(object, workflows, await client.timeline(target, 0));
  }
  if (isOfKind(object, templateKind)) {
    const { items } = await client.list(workflowKind, { namespace });
    return describeTemplate(object, workflowsOf(items, 'templateRef', name));
  }
  return describeAny(object);
}

function workflowsOf(
  items: readonly Workflow[],
  field: 'hardwareRef' | 'templateRef',
  name: string,
): readonly Workflow[] {
  return items.filter((one) => one.spec?.[field] === name);
}

function describeTemplate(template: Template, workflows: readonly Workflow[]): string {
  const lines = printableLines(template.spec?.data ?? '');
  const width = String(lines.length).length;
  const numbered = lines.map((line, index) => `${String(index + 1).padStart(width)}  ${line}`.trimEnd());
  const rows = workflows.map((one) => [
    one.metadata.name,
    one.spec?.hardwareRef ?? '',
    shownState(one.status) || 'not started',
  ]);
  return [
    fieldsText(identityFields(template)),
    tableSection('Workflows', ['NAME', hardwareKind.kind.toUpperCase(), 'STATE'], rows),
    section('Text', numbered.map((line) => `${line}\n`).join('')),
  ].join('');
}

function describeAny(object: Resource): string {
  const part = (title: string, value: unknown): string =>
    value === undefined ? '' : section(title, `${printableLines(stringifyYaml(value)).join('\n')}\n`);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, spec, status, ...more } = masked(object);
  return [
    fieldsText(identityFields(object)),
    part('Spec', spec),
    part('Status', status),
    ...Object.entries(more).map(([field, value]) => part(field, value)),
  ].join('');
}
