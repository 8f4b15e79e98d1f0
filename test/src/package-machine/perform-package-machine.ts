/** The test of the Debian packages on a machine, with its output for a person. */
import { runPackageMachine } from './run-package-machine.ts';

/** Resolves with the exit code: 0 when everything held. */
export async function performPackageMachine(): Promise<number> {
  const startedMs = performance.now();
  const tell = (text: string): void => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    process.stdout.write(`${seconds.padStart(4)} s  ${text}\n`);
  };
  tell('building the packages and the disk of a Debian machine');
  try {
    await runPackageMachine(tell);
  } catch (error) {
    process.stdout.write(`\nFAILED: ${error instanceof Error ? error.message : String(error)}\n`);
    // What waits for machines still waits.
    process.exit(1);
  }
  return 0;
}
