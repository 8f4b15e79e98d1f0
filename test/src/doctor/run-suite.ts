/** `npm run e2e -- doctor`: every fault, some machines at a time. */
import { messageOf } from '@tinkerbell/platform-contract';
import type { CaseResult } from '../firmware/run-matrix.ts';
import { faults, type Fault } from './faults.ts';
import { openFaultSite } from './fault-site.ts';

export interface SuiteOptions {
  /** Parts of names. */
  readonly only: readonly string[];
  readonly jobs: number;
  readonly onResult: (result: CaseResult) => void;
}

export async function runDoctorSuite({ only, jobs, onResult }: SuiteOptions): Promise<readonly CaseResult[]> {
  await using site = await openFaultSite();
  const waiting = [...faultsNamed(only)];
  const results: CaseResult[] = [];
  const work = async (): Promise<void> => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const startedMs = performance.now();
      const error = await site.check(fault).then(() => undefined, messageOf);
      const seconds = (performance.now() - startedMs) / 1000;
      const result = { name: wordsOf(fault), seconds, ...(error === undefined ? {} : { error }) };
      results.push(result);
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

export function faultsNamed(only: readonly string[]): readonly Fault[] {
  return faults.filter((fault) => only.some((text) => wordsOf(fault).includes(text)));
}

export function wordsOf({ name, cause = 'healthy' }: Fault): string {
  return `${cause}: ${name}`;
}
