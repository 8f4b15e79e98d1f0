export { runTink } from './run.ts';
export type { Terminal } from './output/terminal.ts';
