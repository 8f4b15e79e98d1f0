/** Parses the options of `tink workflow edit` to the fields of the request. */
import type { Workflow } from '@tinkerbell/resources';
import { usageFailure } from '../failure.ts';
import { secondsOf } from '../output/time-span.ts';

export interface EditOptions {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  readonly unsetEnv?: readonly string[];
  readonly volume?: readonly string[];
  readonly timeout?: string;
  readonly pid?: string;
}

/** Parses `sh -c true`, or `["sh", "-c", "echo 1 2"]` if a word has a space. */
export function wordsOf(text: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return text.split(/\s+/).filter((word) => word !== '');
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value;
  } catch {
    // Reported below.
  }
  throw usageFailure(
    `--command must be words or a JSON list of strings, not ${text}`,
    `for example '["sh", "-c", "sleep 1"]'`,
  );
}

/** Throws a usage failure for an invalid option, and if none is given. */
export function editFields(
  workflow: Workflow,
  named: { readonly task?: string; readonly action: string },
  options: EditOptions,
): object {
  const { image, command, volume: volumes, timeout, pid } = options;
  const given = {
    image,
    command,
    volumes,
    pid,
    timeout: timeout === undefined ? undefined : secondsOf('--timeout', timeout),
    environment: environmentOf(workflow, named, options),
  };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.keys(fields).length > 0) return fields;
  throw usageFailure('edit needs at least one change', 'for example --image REFERENCE or --env NAME=VALUE');
}

/** The server replaces the whole list, so the result includes the action's other entries. */
function environmentOf(
  { status }: Workflow,
  { task: taskName, action: actionName }: { readonly task?: string; readonly action: string },
  { env = [], unsetEnv = [] }: EditOptions,
): Readonly<Record<string, string>> | undefined {
  if (env.length === 0 && unsetEnv.length === 0) return undefined;
  const actions = (status?.tasks ?? [])
    .filter((task) => taskName === undefined || task.name === taskName)
    .flatMap((task) => task.actions);
  const current = actions.find((one) => one.name === actionName || one.id === actionName)?.environment ?? {};
  const merged = new Map([...Object.entries(current), ...env.map(pairOf)]);
  for (const name of unsetEnv) {
    if (!merged.delete(name)) throw usageFailure(`${actionName} has no variable ${name}`);
  }
  return Object.fromEntries(merged);
}

function pairOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageFailure(`--env must be NAME=VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}
