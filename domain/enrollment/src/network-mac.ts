/**
 * Returns a MAC of six bytes as Hardware has it: lower case with colons. Also reads hyphens and Cisco's dots.
 * Returns undefined for anything else.
 */
export function macOf(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(lower)) return lower;
  if (/^([0-9a-f]{2}-){5}[0-9a-f]{2}$/.test(lower)) return lower.replaceAll('-', ':');
  if (!/^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/.test(lower)) return undefined;
  return lower.replaceAll('.', '').replace(/(..)(?!$)/g, '$1:');
}
