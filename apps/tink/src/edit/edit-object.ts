/** `tink edit`: opens an object as text in the user's editor. The typed text is never lost: rejected text stays in its file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import type { ObjectName } from '../client/client.ts';
import { editedObject } from './edited-object.ts';
import { TinkFailure } from '../failure.ts';
import { nameOf } from '../client/kind-names.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { objectDiff, shownDiff } from '../output/object-diff.ts';
import { ApiFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';

export interface EditOptions {
  /** A file with text that was kept from an earlier edit. */
  readonly from?: string;
}

export async function editObject(session: Session, target: ObjectName, options: EditOptions): Promise<void> {
  const { client, terminal } = session;
  const current = await withCloseNames(client, target, () => client.get(target));
  const shown = editedText(current);
  const path = options.from ?? (await textFile(target.name, shown));
  await runEditor(path, terminal.environment);
  const text = await readFile(path, 'utf8');
  const name = nameOf(target.kind, target.name);
  if (text === shown) {
    await discard(path, options);
    terminal.out(`${name} unchanged\n`);
    return;
  }
  try {
    const stored = await client.replace(target.kind, editedObject(text, path, target));
    terminal.styledErr(shownDiff(objectDiff(name, current, stored), terminal));
  } catch (thrown) {
    throw keptFailure(thrown, path, name);
  }
  await discard(path, options);
  terminal.out(`${name} edited\n`);
}

/** Removes the fields that the server maintains. Keeps the revision, so that concurrent changes are not overwritten. */
function editedText(object: Resource): string {
  const { status: _status, metadata, ...content } = object;
  const { managedFields: _managed, ...kept } = metadata as typeof metadata & { managedFields?: unknown };
  const { apiVersion, kind, ...rest } = content;
  const note = '# Save and leave the editor to store this. Leave the text as it is to change nothing.\n';
  return note + stringifyYaml({ apiVersion, kind, metadata: kept, ...rest });
}

async function textFile(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tink-edit-'));
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

async function discard(path: string, { from }: EditOptions): Promise<void> {
  if (from === undefined) await rm(dirname(path), { recursive: true });
}

type Environment = Session['terminal']['environment'];

/** Returns the words of VISUAL, EDITOR or vi, parsed as shell words like git does. */
async function runEditor(path: string, environment: Environment): Promise<void> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi';
  const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const [code]: unknown[] = await once(child, 'exit');
  if (code === 0) return;
  throw new TinkFailure(
    `the editor (${editor}) exited with ${typeof code === 'number' ? code : 'a signal'}; nothing was sent`,
    {
      advice: `your text is in ${path}; EDITOR=nano selects another editor`,
    },
  );
}

function keptFailure(thrown: unknown, path: string, name: string): unknown {
  if (!(thrown instanceof TinkFailure)) return thrown;
  const [kind = '', object = ''] = name.split('/');
  const isLate = thrown instanceof ApiFailure && thrown.code === 409;
  const hint = isLate ? 'to overwrite, remove its metadata.resourceVersion and run: ' : 'continue with: ';
  return new TinkFailure(thrown.message, {
    advice: `your text is in ${path}; ${hint}tink edit ${kind} ${object} --from ${path}`,
  });
}
