/** Everything short of virtual machines: `npm run check`, before every push. */
import { runStep } from './run-step.ts';
import { staticChecks } from './static-checks.ts';
import { testFlags, testPatterns } from './test-files.ts';

const results = [
  staticChecks(),
  runStep('tests', 'node', [...testFlags, '--test-reporter=dot', ...testPatterns]),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
