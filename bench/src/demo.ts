import { fileURLToPath } from 'node:url';

import { WATCHED, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { mustRun } from './running-program.ts';

const DEMO = fileURLToPath(new URL('../../sandbox/src/main.ts', import.meta.url));
const FIRMWARES = { bios: 'BIOS', uefi: 'UEFI', 'uefi-http': 'UEFI HTTP' } as const;
/** Seconds from power-on to the agent's first request, under software emulation. */
const AGENT_GOALS: Readonly<Record<string, number>> = { bios: 20, uefi: 28 };
const BEFORE_AGENT = ['firmware', 'bootLoader', 'download', 'inMemoryOs'];
const MEMORY_GOAL_MEGABYTES = 150;

/** The part of the demo's outcome that is measured. */
interface Outcome {
  readonly booted: boolean;
  readonly stages: Readonly<Record<string, number>>;
  readonly server: { readonly residentMegabytes: number };
}

export const demoBenchmark: Benchmark = {
  name: 'demo',
  summary:
    'a virtual machine from power-on to the installed Debian: BIOS, UEFI and UEFI HTTP (only BIOS with --quick)',
  async run(context) {
    const rows: Row[] = [];
    for (const [firmware, name] of Object.entries(FIRMWARES))
      if (firmware === 'bios' || !context.quick)
        rows.push(...rowsOf(name, AGENT_GOALS[firmware], await demo(context, firmware)));
    return rows;
  },
};

async function demo(context: BenchContext, firmware: string): Promise<Outcome> {
  context.say(`a machine with ${firmware}`);
  const { output } = await mustRun(context, {
    command: [process.execPath, DEMO, 'demo', '--firmware', firmware, '--json'],
  });
  const outcome = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Outcome;
  if (!outcome.booted) throw new Error(`the machine did not boot:\n${output}`);
  return outcome;
}

function rowsOf(name: string, agentGoal: number | undefined, { stages, server }: Outcome): readonly Row[] {
  const row = { unit: 's', better: 'lower' } as const;
  const beforeAgent = BEFORE_AGENT.reduce((sum, stage) => sum + (stages[stage] ?? 0), 0);
  return [
    rowOf({
      ...row,
      name: `${name}: power-on to the agent's first request`,
      value: beforeAgent,
      goal: agentGoal === undefined ? WATCHED : { value: agentGoal },
    }),
    rowOf({
      ...row,
      name: `${name}: power-on to login prompt`,
      value: stages['total'] ?? 0,
      goal: { none: 'mostly the work of Debian under emulation' },
    }),
    rowOf({
      name: `${name}: memory of the server`,
      value: server.residentMegabytes,
      unit: 'MB',
      better: 'lower',
      goal: { value: MEMORY_GOAL_MEGABYTES },
    }),
  ];
}
