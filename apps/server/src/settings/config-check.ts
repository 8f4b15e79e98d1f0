/** `tinkerbell config check`: whether the settings are right, without starting anything, and where each comes from. */
import type { GivenFlags } from './given-flags.ts';

const SECRET = /password|secret|key$|token/;

/** A table of what was given; what may hold a secret is not shown. */
export function configReport({ given }: GivenFlags): string {
  if (given.length === 0) return 'the settings are right: every one has its default\n';
  const rows = given.map(({ name, value, source }) => [name, shown(name, value), source] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([name, value, source]) =>
    `  ${name.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  (${source})`.trimEnd(),
  );
  return ['the settings are right; given are', ...lines, ''].join('\n');
}

function shown(name: string, value: string): string {
  if (SECRET.test(name)) return '***';
  const hidden = value.replace(/(\/\/[^:@/\s,]*):[^@/\s,]*@/g, '$1:***@');
  // PostgreSQL takes it as a parameter, too.
  return hidden.replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&,\s]*/gi, '$1***');
}
