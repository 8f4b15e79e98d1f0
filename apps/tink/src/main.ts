/** `tink`: enables Node's compile cache, which halves the start time, and runs the command line. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runTink } = await import('./run.ts');
const { createNodeTerminal } = await import('./output/node-terminal.ts');
process.exitCode = await runTink(process.argv.slice(2), createNodeTerminal());
