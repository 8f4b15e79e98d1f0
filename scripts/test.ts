/**
 * `npm test`: the static checks, then every test, the provisions of virtual machines included. Ends with the summary of
 * node's own test runner. Arguments go to the runner: `npm test -- --test-name-pattern=DHCP`.
 */
import { runTool } from './run-step.ts';
import { staticChecks } from './static-checks.ts';
import { testFlags, testPatterns, virtualMachinePatterns } from './test-files.ts';

const areClean = staticChecks();
const commandArguments = [...testFlags, '--test-reporter=spec', ...process.argv.slice(2)];
const havePassed = runTool('node', [...commandArguments, ...testPatterns, ...virtualMachinePatterns]);
process.exitCode = areClean && havePassed ? 0 : 1;
