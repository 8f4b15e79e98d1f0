import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
const tools = join(root, 'node_modules/.bin');
/** Every test file and every server is a process of its own: compiled once, they start in half the processor time. */
const compiled = join(root, '.cache/compiled');

/** Runs one tool of node_modules/.bin with its output shown. False when it failed. */
export function runTool(command: string, commandArguments: readonly string[]): boolean {
  const result = spawnSync(join(tools, command), [...commandArguments], {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: compiled, ...process.env, PATH: `${tools}:${process.env['PATH']}` },
  });
  return result.status === 0;
}

/** The same, with a line at the end that says how it went and how long it took. */
export function runStep(name: string, command: string, commandArguments: readonly string[]): boolean {
  const started = performance.now();
  const isGood = runTool(command, commandArguments);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${isGood ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  return isGood;
}
