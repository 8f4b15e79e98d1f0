/** Genesis with its output for a person. */
import { relative } from 'node:path';
import { createDemoView } from '@tinkerbell/sandbox';
import { STAGES } from './picture.ts';
import { LOGS } from './rack.ts';
import { runGenesis } from './run-genesis.ts';

const NAME_WIDTH = Math.max(...STAGES.map(({ name }) => name.length));

export const GENESIS_USAGE = `npm run e2e -- genesis

Builds a whole site on five virtual machines: a seed server installs a router and a platform machine, moves there while a machine
waits between two actions, and installs three nodes from its new home. Then the platform machine is lost and rebuilt from a backup.
It needs root, 2 cores and 6 GB of memory, takes a quarter of an hour, and uses an isolated network. Ctrl-C ends it.

${STAGES.map(({ name, title }) => `  ${name.padEnd(NAME_WIDTH)}   ${title}`).join('\n')}

At the end it compares all objects, how often each action ran, and every disk. The exit code is 0 when all is as it must be.
The serial consoles are in ${logsFolder()}. examples/genesis has the Hardware, the Workflows and a recording.
`;

/** Resolves with the exit code: 0 when everything held. */
export async function performGenesis(): Promise<number> {
  const startedMs = performance.now();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const view = createDemoView(process.stdout);
  try {
    const problems = await runGenesis(view, stop.signal);
    for (const problem of problems) view.text(`WRONG: ${problem}`);
    if (problems.length > 0) return 1;
  } catch (error) {
    const what = stop.signal.aborted ? 'STOPPED' : 'FAILED';
    view.text(`\n${what} in ${error instanceof Error ? error.message : String(error)}`);
    view.text(`The whole serial consoles are in ${logsFolder()}.`);
    // What waits for machines still waits.
    process.exit(1);
  }
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  view.text(
    `\nFive machines are installed, the stack has moved and was rebuilt, and all checks hold: ${minutes} minutes.`,
  );
  return 0;
}

function logsFolder(): string {
  return relative(process.cwd(), LOGS);
}
