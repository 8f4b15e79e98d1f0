export { cexecAction, splitCommands } from './cexec.ts';
