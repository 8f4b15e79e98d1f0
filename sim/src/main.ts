/** `npm run simulate`: simulated sites, one after the other, each from a seed. */
import { parseArgs } from 'node:util';
import { FAULTS, simulate, type SimulationReport } from './index.ts';

const USAGE = `npm run simulate -- [--machines N] [--runs N] [--seed N] [--faults none|usual|severe] [--json]

Simulates sites in one process, with a simulated clock and network: the machines boot by DHCP, TFTP and HTTP, and their agents
execute Workflows with the real services of the server. Packets are lost, the server crashes, and machines lose power. It fails when
an acknowledged result is lost, an action runs again after its end, or a machine is not installed. To boot the same machines from a real server, use tink simulate.

  --machines N   machines of a site (default: 100)
  --runs N       sites (default: 10)
  --seed N       of the first site; each further one adds 1. The same seed repeats a run exactly (default: random)
  --faults NAME  what goes wrong (default: severe)
  --json         the last line is one JSON object
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      machines: { type: 'string', default: '100' },
      runs: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(process.hrtime.bigint() % 1_000_000_000n) },
      faults: { type: 'string', default: 'severe' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE, 0);
  const [machines = 0, runs = 0, seed = 0] = [values.machines, values.runs, values.seed].map(Number);
  const faults = Object.entries(FAULTS).find(([name]) => name === values.faults)?.[1];
  if (![machines, runs, seed].every((one) => Number.isInteger(one) && one > 0))
    return print('simulate: --machines, --runs and --seed take whole numbers above 0\n', 2);
  if (faults === undefined) return print(`simulate: --faults takes ${Object.keys(FAULTS).join(', ')}\n`, 2);
  const reports: SimulationReport[] = [];
  const startedMs = performance.now();
  for (let run = 0; run < runs; run += 1) {
    const report = await simulate({ seed: seed + run, machines, ...faults });
    reports.push(report);
    print(lineOf(report), 0);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const failed = reports.filter(({ broken }) => broken.length > 0);
  print(`${runs * machines} boots in ${seconds.toFixed(1)} s, ${failed.length} of ${runs} sites failed\n`, 0);
  if (values.json) print(`${JSON.stringify({ seed, machines, runs, seconds, failed })}\n`, 0);
  return failed.length === 0 ? 0 : 1;
}

function lineOf({ seed, broken, ...report }: SimulationReport): string {
  const { installed, machines, simulatedSeconds, packets, crashes, powerLosses } = report;
  const line = `seed ${seed}: ${installed} of ${machines} installed in ${simulatedSeconds} simulated s; ${packets} packets, ${crashes} crashes, ${powerLosses} power losses\n`;
  return (
    line +
    broken
      .slice(0, 5)
      .map((text) => `  ${text}\n`)
      .join('')
  );
}

function print(text: string, code: number): number {
  (code === 2 ? process.stderr : process.stdout).write(text);
  return code;
}
