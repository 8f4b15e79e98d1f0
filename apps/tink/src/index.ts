export { runTink } from './run.ts';
export type { Terminal } from './terminal.ts';
