/** Every machine of the suite that boots in the site of `diagnose-boot.ts`. */
import type { Fault } from './fault.ts';
import { actionFaults } from './faults/action-faults.ts';
import { addressFaults } from './faults/address-faults.ts';
import { healthyMachines } from './faults/healthy-machines.ts';
import { loaderFaults } from './faults/loader-faults.ts';
import { powerFaults } from './faults/power-faults.ts';
import { systemFaults } from './faults/system-faults.ts';
import { workflowFaults } from './faults/workflow-faults.ts';

export const faults: readonly Fault[] = [
  ...healthyMachines,
  ...powerFaults,
  ...addressFaults,
  ...loaderFaults,
  ...systemFaults,
  ...workflowFaults,
  ...actionFaults,
];
