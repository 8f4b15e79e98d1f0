/** `npm run e2e -- actions` and `examples`: some machines at a time, all in one site. */
import { eachAtOnce } from '@tinkerbell/platform-contract';
import type { ActionCase } from './action-case.ts';
import { openCases, type ActionResult } from './open-cases.ts';

const OUTSIDE_SHOWN = 10;

export interface SuiteOptions {
  readonly cases: readonly ActionCase[];
  readonly jobs: number;
  readonly onResult: (result: ActionResult) => void;
}

/** The last result is that of the capture. */
export async function runActionSuite({
  cases: wanted,
  jobs,
  onResult,
}: SuiteOptions): Promise<readonly ActionResult[]> {
  await using cleanup = new AsyncDisposableStack();
  const cases = await openCases(wanted, cleanup);
  const results: ActionResult[] = [];
  const add = (result: ActionResult): void => {
    results.push(result);
    onResult(result);
  };
  await eachAtOnce(wanted, jobs, async (one) => add(await cases.run(one)));
  const outside = await cases.site.capture.outside();
  const error = [`${outside.length} packets left the site`, ...outside.slice(0, OUTSIDE_SHOWN)].join('\n');
  add({ name: 'no packet left the site', seconds: 0, ...(outside.length === 0 ? {} : { error }) });
  return results;
}

/** Those whose name has one of the texts in it. */
export function casesNamed(cases: readonly ActionCase[], only: readonly string[]): readonly ActionCase[] {
  return cases.filter(({ name }) => only.some((text) => name.includes(text)));
}
