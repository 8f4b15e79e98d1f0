import { setFlagsFromString } from 'node:v8';

/** V8's, from the one for functions that run some times to the one for the hottest. */
const COMPILERS = ['sparkplug', 'maglev', 'turbo'];

/**
 * Lets V8 compile functions that run often, from now on and in every thread. Does nothing in a program that may do so anyway. The server is
 * started with filters of functions that no function passes: the compilers take 11 MB of memory once they have run, and
 * a short start does not become faster by them.
 */
export function allowCompilers(): void {
  for (const name of COMPILERS) setFlagsFromString(`--${name}-filter=*`);
}
