/**
 * Ends the process of a test file that takes longer than `?ms=`, and says what it waits for. Node's own limit fails a test, but its process
 * then lives on with what the test has left behind, for example a loop that waits for something that never comes.
 */
import { isMainThread } from 'node:worker_threads';

const limitMs = Number(new URL(import.meta.url).searchParams.get('ms'));

// The runner itself also loads this.
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) setTimeout(giveUp, limitMs).unref();

function giveUp(): void {
  const held = process.getActiveResourcesInfo().join(', ');
  console.error(`${process.argv[1]} is not over after ${limitMs / 1000} s. It is kept alive by: ${held}`);
  process.exit(1);
}
