const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Returns text that is safe between tags and in attributes. Control characters, which XML 1.0 does not have, are left out. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"']/g, (one) => ESCAPES[one] ?? one);
}
