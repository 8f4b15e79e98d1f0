import type { ActionResponse } from '@tinkerbell/api/agent';

/** `KEY=VALUE` pairs as a record; a value may have further equals signs. */
export function environmentOf({ environment }: Pick<ActionResponse, 'environment'>): Record<string, string> {
  return Object.fromEntries(
    environment.map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
}
