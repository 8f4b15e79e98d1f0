export { runTink } from './run.ts';
export type { Terminal } from './output/terminal.ts';
export { commandPages, type CommandPage } from './command-line/command-pages.ts';
export { completionScripts } from './completion/completion-scripts.ts';
