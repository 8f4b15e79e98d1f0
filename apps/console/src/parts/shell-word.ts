/** Words of the commands that pages show. Pure. */

/** Quotes a word for a shell, if it needs it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** ` -n lab`, unless it is the default namespace. */
export function inNamespace(namespace: string | undefined): string {
  if (namespace === '') return ' -A';
  return namespace === undefined || namespace === 'default' ? '' : ` -n ${shellWord(namespace)}`;
}
