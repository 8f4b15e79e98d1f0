/** What an operator may change of an action before it runs: the form, its request and its command. Pure. */
import type { WorkflowAction } from '@tinkerbell/resources';
import { inNamespace, shellWord } from '../parts/shell-word.ts';

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export interface ActionForm {
  readonly image: string;
  /** A JSON list of words, or empty. */
  readonly command: string;
  readonly variables: readonly Variable[];
  /** One per line. */
  readonly volumes: string;
  /** Seconds. 0: no limit. */
  readonly timeout: string;
}

/** The fields of `POST …/edit`. Absent fields stay as they are. */
export interface ActionChange {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly timeout?: number;
}

export type ReadForm = { readonly change: ActionChange } | { readonly problem: string };

export function formOf(action: WorkflowAction): ActionForm {
  const { image = '', command = [], environment = {}, volumes = [], timeout = 0 } = action;
  return {
    image,
    command: command.length === 0 ? '' : JSON.stringify(command),
    variables: Object.entries(environment).map(([name, value]) => ({ name, value })),
    volumes: volumes.join('\n'),
    timeout: String(timeout),
  };
}

/** Returns what differs from the action, or the first problem. */
export function changeIn(form: ActionForm, action: WorkflowAction): ReadForm {
  const before = formOf(action);
  const problem = problemIn(form);
  if (problem !== undefined) return { problem };
  const environment = Object.fromEntries(form.variables.map(({ name, value }) => [name, value]));
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  const change: ActionChange = {
    ...(form.image.trim() === before.image ? {} : { image: form.image.trim() }),
    ...(form.command === before.command ? {} : { command: wordsIn(form.command) ?? [] }),
    ...(isSame(form.variables, before.variables) ? {} : { environment }),
    ...(form.volumes === before.volumes ? {} : { volumes: linesIn(form.volumes) }),
    ...(form.timeout.trim() === before.timeout ? {} : { timeout: Number(form.timeout) }),
  };
  return Object.keys(change).length === 0 ? { problem: 'Nothing is changed.' } : { change };
}

function problemIn({ command, variables, timeout }: ActionForm): string | undefined {
  if (wordsIn(command) === undefined)
    return 'The command must be a JSON list of texts, such as ["sh", "-c", "sleep 1"].';
  if (!/^\d{1,9}$/.test(timeout.trim())) return 'The timeout must be whole seconds. 0 means no limit.';
  const names = variables.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (names.some((name) => name === '' || name.includes('='))) return 'A variable needs a name without “=”.';
  return twice === undefined ? undefined : `The variable ${twice} is duplicated. Remove one.`;
}

function wordsIn(command: string): readonly string[] | undefined {
  if (command.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(command);
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function linesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

interface Edited {
  readonly workflow: string;
  readonly namespace: string | undefined;
  /** `NAME`, or `TASK/NAME`. */
  readonly words: string;
  readonly action: WorkflowAction;
}

export function editCommand(
  { workflow, namespace, words, action }: Edited,
  change: ActionChange,
  why: string,
): string {
  const { image, command, environment, volumes = [], timeout } = change;
  const flag = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  const parts = [
    'tink workflow edit',
    shellWord(workflow),
    shellWord(words),
    ...flag('image', image),
    ...flag('command', command && JSON.stringify(command)),
    ...(environment === undefined ? [] : environmentFlags(action.environment ?? {}, environment)),
    ...volumes.flatMap((one) => flag('volume', one)),
    ...flag('timeout', timeout?.toString()),
    ...flag('why', why === '' ? undefined : why),
  ];
  return `${parts.join(' ')}${inNamespace(namespace)}`;
}

function environmentFlags(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  const set = Object.entries(after).filter(([name, value]) => before[name] !== value);
  const unset = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return [
    ...set.map(([name, value]) => `--env ${shellWord(`${name}=${value}`)}`),
    ...unset.map((name) => `--unset-env ${shellWord(name)}`),
  ];
}
