import type { SimulationOptions } from './simulation.ts';

type Faults = Omit<SimulationOptions, 'seed' | 'machines'>;

/** What a site may suffer, by name. */
export const FAULTS: Readonly<Record<'none' | 'usual' | 'severe', Faults>> = {
  none: {
    network: { loss: 0, duplication: 0, delayMaxMs: 2 },
    store: { commitMaxMs: 2, crashAfterCommit: 0 },
    crashesPerHour: 0,
    editsPerHour: 0,
    powerLosses: 0,
    powerOnMs: 60_000,
  },
  usual: {
    network: { loss: 0.01, duplication: 0.001, delayMaxMs: 20 },
    store: { commitMaxMs: 10, crashAfterCommit: 0 },
    crashesPerHour: 4,
    editsPerHour: 100,
    powerLosses: 0.02,
    powerOnMs: 300_000,
  },
  severe: {
    network: { loss: 0.15, duplication: 0.15, delayMaxMs: 400 },
    store: { commitMaxMs: 100, crashAfterCommit: 0.005 },
    crashesPerHour: 60,
    editsPerHour: 10_000,
    powerLosses: 0.7,
    powerOnMs: 120_000,
  },
};
