/** `npm run e2e -- bmc`: a process for each machine, some at a time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eachAtOnce } from '@tinkerbell/platform-contract';
import type { CaseResult } from '../firmware/run-matrix.ts';

export interface SuiteOptions {
  readonly names: readonly string[];
  readonly jobs: number;
  readonly onResult: (result: CaseResult) => void;
}

export async function runBmcSuite({ names, jobs, onResult }: SuiteOptions): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  await eachAtOnce(names, jobs, async (name) => {
    const result = await runCase(name);
    results.push(result);
    onResult(result);
  });
  return results;
}

async function runCase(name: string): Promise<CaseResult> {
  const startedMs = performance.now();
  const words = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts'), name];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  const seconds = (performance.now() - startedMs) / 1000;
  return { name, seconds, ...(code === 0 ? {} : { error }) };
}
