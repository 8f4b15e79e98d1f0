/** Opens a site for cases, and returns a function that runs one of them. */
import { isArm } from '@tinkerbell/sandbox';
import type { ActionCase } from './action-case.ts';
import { runCase } from './run-case.ts';
import { openSite, type Architecture, type Site } from './site/open-site.ts';

export interface ActionResult {
  readonly name: string;
  readonly seconds: number;
  /** Absent: every action did its work. */
  readonly error?: string;
  /** Why the machine was reset. Absent: it was not. */
  readonly standstill?: string;
}

export interface OpenCases {
  readonly site: Site;
  run(one: ActionCase): Promise<ActionResult>;
}

/** Call it once per process. */
export async function openCases(
  cases: readonly ActionCase[],
  cleanup: AsyncDisposableStack,
): Promise<OpenCases> {
  const architectureOf = ({ firmware }: ActionCase): Architecture => (isArm(firmware) ? 'aarch64' : 'x86_64');
  const site = await openSite(
    {
      architectures: new Set(cases.map(architectureOf)),
      isoArchitectures: new Set(cases.filter(({ isIso }) => isIso === true).map(architectureOf)),
      hasDebian: cases.some(({ needs }) => needs === 'debian-image'),
      hasDebianInstaller: cases.some(({ needs }) => needs === 'debian-installer'),
    },
    cleanup,
  );
  return { site, run: (one) => tryCase(one, site) };
}

async function tryCase(one: ActionCase, site: Site): Promise<ActionResult> {
  const startedMs = performance.now();
  let reset: Pick<ActionResult, 'standstill'> = {};
  let failure: Pick<ActionResult, 'error'> = {};
  try {
    await runCase(one, site, (standstill) => {
      reset = { standstill };
    });
  } catch (thrown) {
    failure = { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  return { name: one.name, seconds: (performance.now() - startedMs) / 1000, ...failure, ...reset };
}
