import type { ActionResponse } from '@tinkerbell/api/agent';

/** Parses `KEY=VALUE` pairs to a record. A value may contain more equals signs. */
export function environmentOf({ environment }: Pick<ActionResponse, 'environment'>): Record<string, string> {
  return Object.fromEntries(
    environment.map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
}
