/** Everything short of virtual machines: `npm run check`, before every push. */
import { runStep } from './run-step.ts';
import { staticChecks } from './static-checks.ts';

const results = [
  staticChecks(),
  runStep('tests', 'node', [
    '--test',
    '--test-reporter=dot',
    '--test-concurrency=2',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=ExperimentalWarning',
    '!(node_modules)/**/*.test.ts',
  ]),
];
process.exitCode = results.every(Boolean) ? 0 : 1;
