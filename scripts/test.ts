/**
 * `npm test`: the static checks, then every test, the provisions of virtual machines included. Ends with the summary of
 * node's own test runner. Arguments go to the runner: `npm test -- --test-name-pattern=DHCP`.
 */
import { runStep } from './run-step.ts';
import { staticChecks } from './static-checks.ts';

const commandArguments = process.argv.slice(2);
const areClean = staticChecks();
const patterns = ['!(node_modules)/**/*.test.ts', '!(node_modules)/**/*.e2e.ts'];
const havePassed = runStep('tests', 'node', [
  '--test',
  '--test-reporter=spec',
  '--test-concurrency=2',
  '--disable-warning=ExperimentalWarning',
  ...commandArguments,
  ...patterns,
]);
process.exitCode = areClean && havePassed ? 0 : 1;
