/** `npm run e2e -- doctor`: every fault and the healthy boots, some machines at a time. */
import { eachAtOnce } from '@tinkerbell/platform-contract';
import type { BootCase } from '../firmware/cases.ts';
import type { CaseResult } from '../firmware/run-matrix.ts';
import { faults } from './faults.ts';
import type { Fault } from './fault.ts';
import { openFaultSite, type CheckedBoot, type FaultSite } from './fault-site.ts';
import { healthyBoots, healthyName } from './healthy-boots.ts';
import { addResults } from './results.ts';

export interface SuiteOptions {
  /** Parts of names. */
  readonly only: readonly string[];
  readonly jobs: number;
  /** Writes each result into the documentation. */
  readonly hasReport: boolean;
  readonly onResult: (result: CaseResult) => void;
}

export interface SuiteCase {
  readonly name: string;
  readonly healthy?: BootCase;
  readonly check: (site: FaultSite) => Promise<CheckedBoot>;
}

const cases: readonly SuiteCase[] = [
  ...faults.map((fault) => ({ name: wordsOf(fault), check: (site: FaultSite) => site.check(fault) })),
  ...healthyBoots.map((healthy) => ({
    name: healthyName(healthy),
    healthy,
    check: (site: FaultSite) => site.checkHealthy(healthy),
  })),
];

export async function runDoctorSuite({
  only,
  jobs,
  hasReport,
  onResult,
}: SuiteOptions): Promise<readonly CaseResult[]> {
  const wanted = suiteCasesNamed(only);
  const healthy = wanted.flatMap((one) => (one.healthy === undefined ? [] : [one.healthy]));
  await using site = await openFaultSite(healthy);
  const results: CaseResult[] = [];
  let reporting = Promise.resolve();
  await eachAtOnce(wanted, jobs, async ({ name, check }) => {
    const startedMs = performance.now();
    const { row, error } = await check(site);
    if (hasReport) await (reporting = reporting.then(() => addResults([row])));
    const seconds = (performance.now() - startedMs) / 1000;
    const result = { name, seconds, ...(error === undefined ? {} : { error }) };
    results.push(result);
    onResult(result);
  });
  return results;
}

export function suiteCasesNamed(only: readonly string[]): readonly SuiteCase[] {
  return cases.filter(({ name }) => only.some((text) => name.includes(text)));
}

export function wordsOf({ name, cause = 'healthy' }: Fault): string {
  return `${cause}: ${name}`;
}
