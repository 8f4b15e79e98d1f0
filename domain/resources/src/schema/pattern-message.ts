/** The pattern of a MAC address in upstream's CRD. */
export const MAC_PATTERN = '([0-9a-f]{2}[:]){5}([0-9a-f]{2})';

/** The length of a pattern in a message that may be one of a hundred. */
const SHOWN_MAX = 200;
/** Longer texts are not misspelt addresses. */
const MAC_TEXT_MAX = 64;

/** Returns the message for a text that does not match a pattern. */
export function patternMessage(source: string, text: string): string {
  if (source !== MAC_PATTERN || text.length > MAC_TEXT_MAX) return `must match ${source.slice(0, SHOWN_MAX)}`;
  const mac = text.trim().toLowerCase().replaceAll('-', ':');
  const right = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)
    ? `write "${mac}"`
    : 'write six pairs of hexadecimal digits, for example "52:54:00:12:34:56"';
  return `must be a MAC address in lower case with colons; ${right}`;
}
