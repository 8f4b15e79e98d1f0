/** Genesis with its output for a person. */
import { createDemoView } from '@tinkerbell/sandbox';
import { runGenesis } from './run-genesis.ts';

/** Resolves with the exit code: 0 when everything held. */
export async function performGenesis(): Promise<number> {
  const startedMs = performance.now();
  const view = createDemoView(process.stdout);
  const problems = await runGenesis(view);
  for (const problem of problems) view.text(`WRONG: ${problem}`);
  if (problems.length > 0) return 1;
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  view.text(
    `\nFive machines are installed, the stack has moved and was rebuilt, and all checks hold: ${minutes} minutes.`,
  );
  return 0;
}
