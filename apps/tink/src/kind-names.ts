/** What people call kinds. */
import {
  kindNamed,
  kinds,
  nearest,
  templateKind,
  hardwareKind,
  workflowKind,
  type Kind,
} from '@tinkerbell/resources';
import { usageFailure } from './failure.ts';

/** What `tink get all` shows. */
const everyday: readonly Kind[] = [hardwareKind, templateKind, workflowKind];

/** The kind of that name. Throws a usage failure with the nearest name. */
export function kindOf(word: string): Kind {
  const kind = kindNamed(word);
  if (kind !== undefined) return kind;
  const names = kinds.flatMap((one) => [one.plural, one.singular, ...one.shortNames]);
  const close = nearest(
    word,
    names.filter((name) => name.length > 2),
  );
  const known = `known kinds: ${kinds.map((one) => [one.plural, ...one.shortNames].join(' or ')).join(', ')}`;
  throw usageFailure(
    `unknown kind ${JSON.stringify(word)}`,
    close === undefined ? known : `did you mean ${close}? ${known}`,
  );
}

/** `hardware`, `hw,wf` or `all`. */
export function kindsOf(words: string): readonly Kind[] {
  if (words === 'all') return everyday;
  return [...new Set(words.split(',').map((word) => kindOf(word.trim())))];
}

/** `hardware/m1`, as commands print and take it. */
export function nameOf(kind: Kind, name: string): string {
  return `${kind.singular}/${name}`;
}
