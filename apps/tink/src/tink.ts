/** `tink`: runs the command line on this process's terminal. */
import { createNodeTerminal } from './output/node-terminal.ts';
import { runTink } from './run.ts';

process.exitCode = await runTink(process.argv.slice(2), createNodeTerminal());
