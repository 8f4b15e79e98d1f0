/** Completes commands, options, kinds, and names of objects on the server. */
import type { Command } from 'commander';
import { discoverKinds, ownKinds } from '../client/discovery.ts';
import { kindOf } from '../client/kind-names.ts';
import { readConfig, configPath } from '../client/config-file.ts';
import { TinkFailure } from '../failure.ts';
import type { Session } from '../client/session.ts';

/** The command that the words select. */
export interface Place {
  readonly command: Command;
  /** Words after the command that are not options. */
  readonly positional: readonly string[];
  readonly current: string;
  /** The option whose value is being typed. */
  readonly option?: string;
}

/** Pure: the last word is the one being typed. It may be empty. */
export function placeOf(program: Command, words: readonly string[]): Place {
  const current = words.at(-1) ?? '';
  let command = program;
  let option: string | undefined;
  const positional: string[] = [];
  for (const word of words.slice(0, -1)) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-')) option = takesValue(program, command, word) ? word : undefined;
    else {
      const next = positional.length === 0 ? subcommand(command, word) : undefined;
      if (next === undefined) positional.push(word);
      else command = next;
    }
  }
  return { command, positional, current, ...(option === undefined ? {} : { option }) };
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}

function takesValue(program: Command, command: Command, word: string): boolean {
  const found = [...program.options, ...command.options].find(
    ({ long, short }) => long === word || short === word,
  );
  return found !== undefined && (found.required || found.optional);
}

/** Returns the candidates that start with the word; empty if they need the server and it is unreachable. */
export async function candidates(
  program: Command,
  place: Place,
  session: Session,
): Promise<readonly string[]> {
  const all = await allCandidates(program, place, session).catch((thrown: unknown) => {
    if (thrown instanceof TinkFailure) return [];
    throw thrown;
  });
  return [...new Set(all)].filter((one) => one.startsWith(place.current)).toSorted();
}

async function allCandidates(program: Command, place: Place, session: Session): Promise<readonly string[]> {
  const { command, current, option } = place;
  if (option !== undefined) return valuesOf(option, [...program.options, ...command.options], session);
  if (current.startsWith('-'))
    return [...program.options, ...command.options].map(({ long }) => long ?? '').concat('--help');
  const visible = command.commands.filter((one) => !one.name().startsWith('_'));
  if (visible.length > 0) return visible.map((one) => one.name());
  return argumentsOf(place, session);
}

async function valuesOf(
  word: string,
  options: Command['options'],
  { terminal, client }: Session,
): Promise<readonly string[]> {
  if (word === '--context') return Object.keys((await readConfig(configPath(terminal))).contexts ?? {});
  if (word === '-n' || word === '--namespace') {
    const { items } = await client.list(ownKinds[0] ?? (await kindOf('hardware', client)), {});
    return items.map(({ metadata }) => metadata.namespace);
  }
  if (word === '-o' || word === '--output')
    return ['table', 'wide', 'yaml', 'json', 'name', 'jsonpath=', 'custom-columns='];
  const found = options.find(({ long, short }) => long === word || short === word);
  return found?.argChoices ?? [];
}

async function argumentsOf(
  { command, positional, current }: Place,
  session: Session,
): Promise<readonly string[]> {
  const [first] = command.registeredArguments;
  const takesKind = first !== undefined && ['kind', 'kinds', 'path'].includes(first.name());
  if (takesKind) return objectsOf(positional, current, session);
  const group = command.parent?.name() ?? '';
  if (first !== undefined && ['hardware', 'template', 'workflow'].includes(group))
    return namesOf(session, group);
  return command.name() === 'logs' ? namesOf(session, 'workflow') : [];
}

/** Completes a kind and then its names, or `hardware/m1`. */
async function objectsOf(
  [kind]: readonly string[],
  current: string,
  session: Session,
): Promise<readonly string[]> {
  if (kind !== undefined) return namesOf(session, kind);
  const slash = current.indexOf('/');
  if (slash > 0) {
    const word = current.slice(0, slash);
    return (await namesOf(session, word)).map((name) => `${word}/${name}`);
  }
  const offered = await discoverKinds(session.client).catch(() => ownKinds);
  return offered.flatMap(({ plural, singular }) => [plural, singular]);
}

async function namesOf({ client, namespace }: Session, word: string): Promise<readonly string[]> {
  const { items } = await client.list(await kindOf(word, client), { namespace });
  return items.map(({ metadata }) => metadata.name);
}
