/** `tink edit` and `tink patch`. */
import { Option, type Command } from 'commander';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { groupVersionOf, type ApiKind } from '../client/api-kind.ts';
import type { PatchOptions } from '../client/client.ts';
import { editObject, type EditOptions } from './edit-object.ts';
import { readText } from '../files/unreadable.ts';
import { usageFailure } from '../failure.ts';
import { kindOf, nameOf } from '../client/kind-names.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { objectDiff, shownDiff } from '../output/object-diff.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf, splitName } from '../command-line/command-line.ts';
import { named } from '../client/named.ts';

export function addEdit(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('edit <kind> [name]')
    .description('change an object in your editor (VISUAL, EDITOR, or vi); rejected text is kept in a file')
    .option('--from <path>', 'continue with text that was kept')
    .addHelpText(
      'after',
      examples(
        'tink edit hardware m1',
        'EDITOR=nano tink edit tpl/debian',
        'tink edit hw m1 --from /tmp/m1.yaml',
      ),
    )
    .action(async (kind: string, name: string | undefined, options: EditOptions) => {
      const session = await sessionOf(command, terminal);
      await editObject(session, await oneTarget(session, 'edit', [kind, name]), options);
    });
}

interface PatchCommandOptions {
  readonly type: PatchOptions['type'];
  readonly patch?: string;
  readonly patchFile?: string;
  readonly subresource?: 'status';
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addPatch(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('patch <kind> [name]')
    .description('change fields of an object and keep the others')
    .addOption(
      new Option('--type <type>', 'merge (RFC 7386), json (RFC 6902) or apply (fields you own)')
        .choices(['merge', 'json', 'apply'])
        .default('merge'),
    )
    .option('-p, --patch <text>', 'patch as JSON or YAML')
    .option('--patch-file <path>', 'file with the patch')
    .addOption(new Option('--subresource <name>', 'patch the status').choices(['status']))
    .option('--force-conflicts', 'with --type apply: take ownership of fields that others applied')
    .option('--dry-run', 'run the server’s checks without storing anything')
    .option('--json', 'print the changed object as JSON')
    .addHelpText(
      'after',
      examples(
        `tink patch hardware m1 -p '{"spec": {"agentID": "agent-7"}}'`,
        `tink patch hw/m1 --type json -p '[{"op": "remove", "path": "/spec/agentID"}]'`,
        'tink patch hw m1 --patch-file change.yaml --dry-run',
      ),
    )
    .action(async (kind: string, name: string | undefined, options: PatchCommandOptions) => {
      const body = await patchBody(options);
      await patch(await sessionOf(command, terminal), [kind, name], { ...options, body });
    });
}

async function patch(
  session: Session,
  words: readonly [string, string | undefined],
  options: PatchCommandOptions & { readonly body: object },
): Promise<void> {
  const { client, terminal } = session;
  const { type, dryRun = false, json = false } = options;
  const target = await oneTarget(session, 'patch', words);
  // An apply patch creates a missing object. The other patches need an existing one.
  const before =
    type === 'apply'
      ? await client.find(target)
      : await withCloseNames(client, target, () => client.get(target));
  const after = await client.patch(target, requestOf(options, target.kind));
  if (json) return terminal.out(`${JSON.stringify(after, null, 2)}\n`);
  const name = nameOf(target.kind, target.name);
  terminal.styledErr(shownDiff(objectDiff(name, before, after), terminal));
  const isSame = !dryRun && before?.metadata.resourceVersion === after.metadata.resourceVersion;
  terminal.out(`${name} ${isSame ? 'unchanged' : 'patched'}${dryRun ? ' (dry run)' : ''}\n`);
}

function requestOf(
  { type, body, dryRun = false, forceConflicts = false, subresource }: PatchCommandOptions & { body: object },
  kind: ApiKind,
): PatchOptions {
  const whole = type === 'apply' ? { apiVersion: groupVersionOf(kind), kind: kind.kind, ...body } : body;
  const place = subresource === undefined ? {} : { subresource };
  return { type, body: whole, dryRun, force: forceConflicts, ...place };
}

async function patchBody({ patch, patchFile, type }: PatchCommandOptions): Promise<object> {
  if ((patch === undefined) === (patchFile === undefined))
    throw usageFailure('patch needs either --patch TEXT or --patch-file FILE');
  const source = patchFile ?? '--patch';
  const text = patch ?? (await readText(source));
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    const { position, message } = parsed.error;
    throw usageFailure(`${source}:${position.line}:${position.column}: ${message}`);
  }
  const value: unknown = parsed.documents[0] === undefined ? undefined : toJson(parsed.documents[0]);
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (type === 'json')) {
    throw usageFailure(
      `${source}: a ${type} patch must be ${type === 'json' ? 'a list of operations' : 'an object with the fields to change'}`,
      type === 'json' ? undefined : 'for a list of operations, add --type json',
    );
  }
  return value;
}

async function oneTarget(
  session: Session,
  verb: string,
  [kind, name]: readonly [string, string | undefined],
) {
  const { kinds, names } = splitName(name === undefined ? [kind] : [kind, name]);
  const [only] = names;
  if (only === undefined || names.length > 1)
    throw usageFailure(`${verb} takes one object: ${verb} KIND NAME`);
  return named(session, await kindOf(kinds, session.client), only);
}
