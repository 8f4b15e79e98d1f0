/** Creates a Workflow for a Template and a Hardware. Renders it locally first. */
import {
  apiVersionOf,
  hardwareKind,
  templateKind,
  workflowKind,
  type Hardware,
  type Template,
  type Workflow,
} from '@tinkerbell/resources';
import { templatePlatform } from '@tinkerbell/platform-template';
import { renderTemplate, type RenderInput } from '@tinkerbell/template';
import { TinkFailure } from '../failure.ts';
import { hardwareMapFor, hardwareWithMac, macIn } from './hardware-map.ts';
import { referencesOf } from './hardware-references.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { ApiFailure } from '../client/server-failure.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import { workflowNames } from './workflow-name.ts';
import { named } from '../client/named.ts';

export interface WorkflowWish {
  readonly template: string;
  /** A name or a MAC; undefined for a workflow without a machine. */
  readonly hardware: string | undefined;
  readonly name: string | undefined;
  readonly pairs: Readonly<Record<string, string>>;
  readonly bootOptions?: NonNullable<Workflow['spec']>['bootOptions'];
  readonly dryRun: boolean;
}

/** Resolves with the stored workflow. Throws a TinkFailure if it does not render. */
export async function createWorkflow(session: Session, wish: WorkflowWish): Promise<Workflow> {
  const { client } = session;
  const target = await named(session, templateKind, wish.template);
  const template = await withCloseNames(client, target, () => client.get(target));
  const hardware = wish.hardware === undefined ? undefined : await findHardware(session, wish.hardware);
  const hardwareMap = hardwareMapFor(hardware, wish.pairs);
  const hardwareRef = hardware?.metadata.name;
  const stem = [hardwareRef, target.name].filter(Boolean).join('-');
  const references = await referencesOf(session, hardware);
  refuseUnrenderable(template, { hardware, hardwareMap, references });
  const { bootOptions = {} } = wish;
  const spec = {
    templateRef: target.name,
    ...(hardwareRef === undefined ? {} : { hardwareRef }),
    hardwareMap,
    ...(Object.keys(bootOptions).length === 0 ? {} : { bootOptions }),
  };
  return storeUnderFreeName(session, spec, { stem, name: wish.name, dryRun: wish.dryRun });
}

export async function findHardware({ client, namespace }: Session, word: string): Promise<Hardware> {
  const mac = macIn(word);
  if (mac === undefined) {
    const target = await named({ client, namespace }, hardwareKind, word);
    return withCloseNames(client, target, () => client.get(target));
  }
  const { items } = await client.list(hardwareKind, { namespace });
  const found = hardwareWithMac(mac, items);
  if (found !== undefined) return found;
  throw new TinkFailure(`no hardware in namespace ${namespace} has the MAC ${mac}`, {
    advice: 'register it with tink hardware push --file FILE',
  });
}

function refuseUnrenderable(
  template: Template,
  input: Pick<RenderInput, 'hardware' | 'references'> & {
    readonly hardwareMap: Readonly<Record<string, string>>;
  },
): void {
  const { name } = template.metadata;
  const rendered = renderTemplate({
    templateName: name,
    text: template.spec?.data ?? '',
    platform: templatePlatform,
    ...input,
  });
  if (rendered.ok) return;
  const { where, line, column, message, path } = rendered.error;
  const place = where === 'template' ? `line ${line}, column ${column}` : `line ${line} of the rendered text`;
  const field = path === undefined ? '' : `${path}: `;
  const known = Object.entries(input.hardwareMap).map(([key, value]) => `${key}=${value}`);
  throw new TinkFailure(`template ${name} does not render: ${place}: ${field}${message}`, {
    advice: `"tink describe template ${name}" shows its lines; current values: ${known.join(', ') || 'none'} (set more with --set NAME=VALUE)`,
  });
}

/** Uses a requested name or fails. Otherwise tries numbered names until one is free. */
export async function storeUnderFreeName(
  { client, namespace, terminal }: Session,
  spec: NonNullable<Workflow['spec']>,
  {
    stem,
    name,
    dryRun,
  }: { readonly stem: string; readonly name: string | undefined; readonly dryRun: boolean },
): Promise<Workflow> {
  const onWarning = (text: string): void => terminal.err(`warning: ${printable(text)}\n`);
  const taken = new Set(
    name === undefined
      ? (await client.list(workflowKind, { namespace })).items.map((one) => one.metadata.name)
      : [],
  );
  for (const candidate of name === undefined ? workflowNames(stem) : [name]) {
    if (taken.has(candidate)) continue;
    const workflow: Workflow = {
      apiVersion: apiVersionOf(workflowKind),
      kind: 'Workflow',
      metadata: { name: candidate, namespace },
      spec,
    };
    try {
      return await client.create(workflowKind, workflow, { dryRun, onWarning });
    } catch (thrown) {
      const isTaken = thrown instanceof ApiFailure && thrown.reason === 'AlreadyExists';
      if (!isTaken || name !== undefined) throw thrown;
    }
  }
  throw new TinkFailure(`all names ${stem}, ${stem}-2, … are taken`, { advice: 'set one with --name NAME' });
}
