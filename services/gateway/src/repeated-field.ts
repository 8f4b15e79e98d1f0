/** Fields that must not be repeated, because programs differ on which one counts. */
const SINGLE = new Set([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'origin',
  'transfer-encoding',
]);

/** `raw` has names and values by turns. Returns a message for the client. */
export function repeatedField(raw: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name)) return `${name} is duplicated`;
    seen.push(name);
  }
  return undefined;
}
