/** From where `tink doctor MACHINE --check` tries. */
import { InvalidArgumentError } from 'commander';

/** `agent:NAME` is the agent of another machine, and `relay:NAME` the relay with the account NAME. */
export type CheckPlace = 'here' | 'server' | `agent:${string}` | `relay:${string}`;

/** Throws an InvalidArgumentError, which names the choices. */
export function checkPlaceIn(text: string): CheckPlace {
  if (text === 'here' || text === 'server') return text;
  const [, kind, name] = /^(agent|relay):(.+)$/.exec(text) ?? [];
  if (name !== undefined) return kind === 'relay' ? `relay:${name}` : `agent:${name}`;
  throw new InvalidArgumentError(
    'use here, server, agent:NAME with the name of a machine that runs the in-memory OS, or relay:NAME with the account of a relay',
  );
}

/** As the subject of “Checks from …”. */
export function checkPlaceText(place: CheckPlace): string {
  if (place === 'here') return 'this host';
  if (place === 'server') return 'the server';
  const name = place.slice(place.indexOf(':') + 1);
  return place.startsWith('relay:') ? `the relay ${name}` : `the agent of ${name}`;
}
