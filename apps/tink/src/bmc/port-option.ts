import { usageFailure } from '../failure.ts';

/** Throws a usage failure that names the flag. */
export function portOf(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw usageFailure(`${flag} must be a port from 1 to 65535, not ${JSON.stringify(text)}`);
}
