/** The entry point of an action's image. See `hook/src/action-images`. */
import type { Environment } from '@tinkerbell/action-kit';
import { nodeClock } from '@tinkerbell/platform-node';

import { builtInAction, unknownImage } from './built-in-actions.ts';
import { runNamedAction } from './named-action.ts';

const [name = '', ...command] = process.argv.slice(2);
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
const action = builtInAction(name);
if (action === undefined) {
  process.stderr.write(`${unknownImage(name)}\n`);
  process.exitCode = 1;
} else {
  const code = await runNamedAction(
    { action, command, environment: definedOf(process.env) },
    {
      clock: nodeClock,
      signal: stop.signal,
      out: (line) => void process.stdout.write(`${line}\n`),
      error: (line) => void process.stderr.write(`${line}\n`),
    },
  );
  // Work that was stopped at its limit may still be under way.
  process.exit(code);
}

function definedOf(environment: NodeJS.ProcessEnv): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
