/** `tinkerbell config check`: validates the settings without starting anything, and prints the source of each. */
import type { GivenFlags } from './given-flags.ts';

const SECRET = /password|secret|key$|token/;

/** Returns a table of the given settings. Hides those that may hold a secret. */
export function configReport({ given }: GivenFlags): string {
  if (given.length === 0) return 'the settings are valid; all have their defaults\n';
  const rows = given.map(({ name, value, source }) => [name, shown(name, value), source] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([name, value, source]) =>
    `  ${name.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  (${source})`.trimEnd(),
  );
  return ['the settings are valid:', ...lines, ''].join('\n');
}

function shown(name: string, value: string): string {
  if (SECRET.test(name)) return '***';
  const hidden = value.replace(/(\/\/[^:@/\s,]*):[^@/\s,]*@/g, '$1:***@');
  // PostgreSQL also accepts the password as a parameter.
  return hidden.replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&,\s]*/gi, '$1***');
}
