import { FAULTS, simulate } from '@tinkerbell/sim';

import { EXPLAINS, rowOf, type Benchmark } from './benchmark.ts';

const GOAL_SECONDS = 60;

export const simulationBenchmark: Benchmark = {
  name: 'simulation',
  summary:
    '10,000 simulated boots with the real services in one process, with packet loss, crashes and power losses',
  async run(context) {
    const machines = context.quick ? 1000 : 10_000;
    const startedMs = performance.now();
    const { installed, broken, crashes, packets } = await simulate({ seed: 1, machines, ...FAULTS.usual });
    const seconds = (performance.now() - startedMs) / 1000;
    if (broken.length > 0) throw new Error(`the simulation failed: ${broken.slice(0, 3).join('; ')}`);
    const name = `${installed.toLocaleString('en-US')} boots`;
    return [
      rowOf({ name, value: seconds, unit: 's', better: 'lower', goal: { value: GOAL_SECONDS } }),
      rowOf({ name: `${name}: packets`, value: packets, unit: '', better: 'higher', goal: EXPLAINS }),
      rowOf({
        name: `${name}: crashes of the server`,
        value: crashes,
        unit: '',
        better: 'higher',
        goal: EXPLAINS,
      }),
    ];
  },
};
