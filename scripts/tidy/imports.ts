/** The module names that a source file imports or re-exports, statically or not. */
export function importsOf(text: string): string[] {
  const pattern =
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(pattern)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((name) => !name.includes('${'));
}
