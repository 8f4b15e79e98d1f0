/** From where `tink doctor MACHINE --check` tries. */
import { InvalidArgumentError } from 'commander';

/** `agent:NAME` is the agent of another machine. */
export type CheckPlace = 'here' | 'server' | `agent:${string}`;

/** Throws an InvalidArgumentError, which names the choices. */
export function checkPlaceIn(text: string): CheckPlace {
  if (text === 'here' || text === 'server') return text;
  const [, name] = /^agent:(.+)$/.exec(text) ?? [];
  if (name !== undefined) return `agent:${name}`;
  throw new InvalidArgumentError(
    text.startsWith('relay:')
      ? 'a relay has no connection by which the server could ask it. On its host, run: sudo tink doctor MACHINE --check'
      : 'use here, server, or agent:NAME with the name of a machine that runs the in-memory OS',
  );
}

/** As the subject of “Checks from …”. */
export function checkPlaceText(place: CheckPlace): string {
  if (place === 'here') return 'this host';
  return place === 'server' ? 'the server' : `the agent of ${place.slice('agent:'.length)}`;
}
