import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MINUTE_MS = 60_000;
const fileLimit = pathToFileURL(join(import.meta.dirname, 'test-limit.ts'));

/**
 * Two files at a time, also on two cores: much of a test is waiting. The limits are for a test that never ends, and twice what the longest
 * takes on a slow machine.
 */
export const testFlags = [
  '--test',
  '--test-concurrency=2',
  `--test-timeout=${20 * MINUTE_MS}`,
  `--import=${fileLimit.href}?ms=${22 * MINUTE_MS}`,
  '--disable-warning=ExperimentalWarning',
];

export const testPatterns = ['!(node_modules)/**/*.test.ts'];

/** Tests with the whole product: real programs, foreign clients, virtual machines. */
export const virtualMachinePatterns = ['!(node_modules)/**/*.e2e.ts'];
