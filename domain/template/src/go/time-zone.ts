/** Three to five capitals. Names of four or five end in T, except one zone in Indonesia. */
const NAME = /^(?:[A-Z]{4}T|[A-Z]{3}T|WITA|[A-Z]{3})(?![A-Z])/;

/**
 * Returns the length of the zone abbreviation at the start of a text, or 0 if there is none (Go's
 * parseTimeZone).
 */
export function zoneNameLength(source: string): number {
  if (source.startsWith('UTC')) return 3;
  if (/^(?:ChST|MeST)/.test(source)) return 4;
  if (source.startsWith('GMT')) return 3 + signedOffsetLength(source.slice(3));
  if (/^[-+]/.test(source)) return source.length < 3 ? 0 : signedOffsetLength(source);
  return NAME.exec(source)?.[0].length ?? 0;
}

/** Only GMT states its offset: `GMT+3`. */
export function zoneOffset(name: string): number {
  const hours = /^GMT([-+][0-9]+)$/.exec(name)?.[1];
  return hours === undefined ? 0 : Number(hours) * 3600;
}

function signedOffsetLength(source: string): number {
  const match = /^[-+]([0-9]+)/.exec(source);
  return match === null || Number(match[1]) > 23 ? 0 : match[0].length;
}
