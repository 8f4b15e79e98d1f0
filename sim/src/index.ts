export { FAULTS } from './faults.ts';
export { simulate, type SimulationOptions, type SimulationReport } from './simulation.ts';
