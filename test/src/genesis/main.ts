/** `npm run e2e -- genesis` */
import { performGenesis } from './perform-genesis.ts';

// The C library creates the private network. A warning about that on every run helps nobody.
process.removeAllListeners('warning');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
try {
  process.exitCode = await performGenesis();
} catch (error) {
  process.stderr.write(`\ngenesis: ${error instanceof Error ? error.message : String(error)}\n`);
  // The exit code alone is not enough: what was started still runs, and the kernel ends it with this process.
  process.exit(1);
}
