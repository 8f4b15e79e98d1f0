/**
 * `npm run e2e -- SUITE`: boots machines of many kinds, by themselves and by BMCs, runs every action and the examples on machines, injects
 * faults for the doctor, breaks installations, tests a cluster, performs Genesis, and installs the Debian packages on a machine.
 */
import { parseArgs } from 'node:util';

import type { ActionCase } from './actions/action-case.ts';
import { actionCases, exampleCases } from './actions/cases/all-cases.ts';
import { casesNamed, runActionSuite } from './actions/run-suite.ts';
import { runDoctorSuite, suiteCasesNamed } from './doctor/run-suite.ts';
import { bmcCases } from './bmc/cases.ts';
import { runBmcSuite } from './bmc/run-suite.ts';
import { GENESIS_USAGE, performGenesis } from './genesis/perform-genesis.ts';
import { runClusterSuite } from './cluster/run-suite.ts';
import { performPackageMachine } from './package-machine/perform-package-machine.ts';
import { firmwareMatrix, foreignMatrix, isoMatrix, nameOf, type BootCase } from './firmware/cases.ts';
import { type BreakResult } from './image-breaks/break-run.ts';
import { summaryOf } from './image-breaks/fetched-twice.ts';
import { runBreakSuite } from './image-breaks/run-suite.ts';
import { runMatrix, type CaseResult } from './firmware/run-matrix.ts';

const SUITES: Readonly<Record<string, readonly BootCase[]>> = {
  firmware: firmwareMatrix,
  foreign: foreignMatrix,
  iso: isoMatrix,
};

const USAGE = `npm run e2e -- SUITE [--only TEXT] [--jobs N] [--list] [--json]

Boots virtual machines with real firmware until the agent of the in-memory OS is handed an action.

  firmware   every boot loader, as DHCP server and as proxy, direct and through a relay
  foreign    beside dnsmasq, Kea and ISC dhcpd, which give the addresses
  iso        from our own ISO image, with a static address and without DHCP
  actions    every action, built in and as containers, on BIOS, UEFI, virtual media and ARM; disks are checked from outside
  examples   every folder of examples/ that can run, on a machine each
  bmc        machines that are off, and that a BMC boots: network, virtual media, HTTP boot; with IPMI, Redfish and AMT
  doctor     boots with a fault each; the doctor must find it within a minute, and nothing in healthy boots
  breaks     no machines: installs disk images while network, agent, machine and server break at random
  peer-breaks   no machines: installs disk images while an agent that serves chunks is killed, restarted, cut off, stalled or slow
  cluster    no machines: objects in a real kube-apiserver, which Go builds first, and 20 restarts of it
  genesis    five machines of a site one after the other, while the server moves and is rebuilt
  package-machine   a Debian machine that the packages make a server, and a machine that it installs; upgrade and purge

  --only TEXT   cases whose name has TEXT in it; several separated by |. Of breaks and peer-breaks: the number of a run
  --jobs N      machines at once (default 2; each takes a core and 1 GiB)
  --runs N      installations of \`breaks\` and \`peer-breaks\` (default 100)
  --seed N      repeats the random choices of \`breaks\` and \`peer-breaks\`
  --report      of doctor: writes the results into docs/reference/diagnosis.md
  --list        the names of the cases
  --json        the last line is one JSON object
`;

/** Suites that are not lists of boots. */
const otherSuites: Readonly<Record<string, (wanted: Wanted & Breaking) => Promise<number>>> = {
  cluster: ({ only }) => runClusterSuite(only),
  genesis: () => performGenesis(),
  'package-machine': () => performPackageMachine(),
  actions: (wanted) => runMachines('actions', actionCases, wanted),
  examples: (wanted) => runMachines('examples', exampleCases, { ...wanted, jobs: '1' }),
  bmc: runBmc,
  doctor: runDoctor,
  breaks: runBreaks,
  'peer-breaks': (wanted) => runBreaks(wanted, true),
};

process.removeAllListeners('warning');
process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '2' },
      runs: { type: 'string', default: '100' },
      seed: { type: 'string', default: String(process.hrtime()[1]) },
      report: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const name = positionals[0] ?? '';
  const run = otherSuites[name];
  if (run !== undefined && !values.help) return run(values);
  const suite = SUITES[name];
  if (values.help || suite === undefined) {
    process.stdout.write(name === 'genesis' ? GENESIS_USAGE : USAGE);
    return values.help ? 0 : 2;
  }
  return runCases(name, suite, values);
}

interface Breaking {
  readonly runs: string;
  readonly seed: string;
}

interface Wanted {
  readonly only: string;
  readonly jobs: string;
  readonly report: boolean;
  readonly list: boolean;
  readonly json: boolean;
}

/** Resolves with the exit code. */
async function runCases(name: string, suite: readonly BootCase[], wanted: Wanted): Promise<number> {
  const { only, jobs, list, json } = wanted;
  const names = only.split('|');
  const cases = suite.filter((one) => names.some((text) => nameOf(one).includes(text)));
  if (list) return listed(cases.map(nameOf));
  const run = () => runMatrix({ cases, concurrency: Number(jobs), onResult: show });
  return reported(name, json, run);
}

/** Resolves with the exit code. */
async function runMachines(
  suite: string,
  all: readonly ActionCase[],
  { only, jobs, list, json }: Wanted,
): Promise<number> {
  const cases = casesNamed(all, only.split('|'));
  if (list) return listed(cases.map(({ name }) => name));
  return reported(suite, json, () => runActionSuite({ cases, jobs: Number(jobs), onResult: show }));
}

/** Resolves with the exit code. */
async function runBmc({ only, jobs, list, json }: Wanted): Promise<number> {
  const texts = only.split('|');
  const names = bmcCases.map(({ name }) => name).filter((name) => texts.some((text) => name.includes(text)));
  if (list) return listed(names);
  return reported('bmc', json, () => runBmcSuite({ names, jobs: Number(jobs), onResult: show }));
}

/** Resolves with the exit code. */
async function runDoctor({ only, jobs, report, list, json }: Wanted): Promise<number> {
  const texts = only.split('|');
  if (list) return listed(suiteCasesNamed(texts).map(({ name }) => name));
  const options = { only: texts, jobs: Number(jobs), hasReport: report, onResult: show };
  return reported('doctor', json, () => runDoctorSuite(options));
}

/** Resolves with the exit code. */
async function runBreaks(
  { runs, seed, only, json }: Pick<Wanted, 'only' | 'json'> & Breaking,
  hasPeer = false,
): Promise<number> {
  process.stdout.write(`seed ${seed}\n`);
  const onResult = (result: BreakResult): void => {
    show({ ...result, name: `${result.name} (fetched ${result.fetched.toFixed(2)} x)` });
  };
  const chosen = only === '' ? {} : { only: Number(only) };
  const options = { runs: Number(runs), seed: Number(seed), hasPeer, ...chosen, onResult };
  return reported(hasPeer ? 'peer-breaks' : 'breaks', json, async () => {
    const results = await runBreakSuite(options);
    process.stdout.write(`\n${summaryOf(results)}\n`);
    return results;
  });
}

/** Returns the exit code. */
function listed(names: readonly string[]): number {
  process.stdout.write(names.map((name) => `${name}\n`).join(''));
  return 0;
}

async function reported(
  suite: string,
  isJson: boolean,
  run: () => Promise<readonly CaseResult[]>,
): Promise<number> {
  const startedMs = performance.now();
  const results = await run();
  const failed = results.filter(({ error }) => error !== undefined);
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  process.stdout.write(`\n${results.length - failed.length} of ${results.length} in ${minutes} minutes\n`);
  for (const one of failed) process.stdout.write(`FAILED ${one.name}\n`);
  for (const one of results)
    if (one.standstill !== undefined) process.stdout.write(`reset once: ${one.name}\n`);
  if (isJson) process.stdout.write(`${JSON.stringify({ suite, results })}\n`);
  return failed.length === 0 ? 0 : 1;
}

function show({ name, seconds, error, standstill }: CaseResult): void {
  const mark = error === undefined ? 'ok    ' : 'FAILED';
  process.stdout.write(`${mark} ${name.padEnd(52)} ${seconds.toFixed(0).padStart(4)} s\n`);
  const indented = (text: string): string => `${text.replaceAll(/^/gm, '    ')}\n`;
  if (standstill !== undefined) process.stdout.write(indented(`it was reset: ${standstill}`));
  if (error !== undefined) process.stdout.write(indented(error));
}
