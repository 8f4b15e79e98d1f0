import { readEnvironment, type Environment } from '@tinkerbell/action-kit';

export interface Settings {
  /** Gets the inventory by POST. */
  readonly url: URL | undefined;
}

export function readSettings(environment: Environment): Settings {
  const read = readEnvironment('inventory', environment);
  const isWanted = read.optional('DEST_URL') !== undefined;
  const url = isWanted ? read.httpUrl('DEST_URL', 'the address that gets the inventory') : undefined;
  read.finish();
  return { url };
}
