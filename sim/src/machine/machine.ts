/**
 * A machine with UEFI firmware, iPXE and the agent, as a pure state machine: what happens to it goes in, what it does comes out.
 * It waits and repeats as firmware and agent do.
 */
import { bootLoaderStep, firmwareStep } from './netboot.ts';
import { agentStep } from './agent.ts';
import { busyFor, type Machine, type MachineInput, type Step } from './model.ts';

const FIRMWARE_START_MS = 3000;
/** From the script until the agent runs. */
const OS_START_MS = 8000;

/** Returns a machine that is switched off. */
export function newMachine(mac: string, work: Machine['work']): Machine {
  return { mac, work, phase: 'off', timer: 0, tries: 0, transactionId: 0 };
}

export function machineStep(machine: Machine, input: MachineInput): Step {
  if (input.kind === 'power-on') return restarted(machine);
  if (input.kind === 'power-off')
    return { machine: { ...machine, phase: 'off', timer: machine.timer + 1 }, outputs: [] };
  // A timer of something that has ended since.
  if (input.kind === 'timer' && input.number !== machine.timer) return { machine, outputs: [] };
  return steps[machine.phase](machine, input);
}

const idle = (machine: Machine): Step => ({ machine, outputs: [] });
const inLoader = (machine: Machine, input: MachineInput): Step =>
  startedSystem(machine, bootLoaderStep(machine, input));

const steps: Readonly<Record<Machine['phase'], (machine: Machine, input: MachineInput) => Step>> = {
  off: idle,
  disk: idle,
  starting: (machine, input) => firmwareStep({ ...machine, phase: 'firmware-dhcp', tries: 0 }, input),
  'firmware-dhcp': firmwareStep,
  'firmware-tftp': firmwareStep,
  'loader-dhcp': inLoader,
  'loader-script': inLoader,
  agent: (machine, input) => again(agentStep(machine, input)),
};

/** Switches the machine on, or restarts it. Everything that it knew is lost. */
function restarted({ mac, work, timer, transactionId }: Machine): Step {
  return busyFor({ ...newMachine(mac, work), phase: 'starting', timer, transactionId }, FIRMWARE_START_MS);
}

/** The in-memory OS takes a while until its agent runs. */
function startedSystem(before: Machine, step: Step): Step {
  if (step.machine.phase !== 'agent' || before.phase === 'agent') return step;
  const { machine, outputs } = busyFor({ ...step.machine, agent: { kind: 'asking' } }, OS_START_MS);
  return { machine, outputs: [...step.outputs, ...outputs] };
}

/** An agent that executed the action `reboot` restarts its machine. */
function again(step: Step): Step {
  if (step.machine.phase !== 'starting') return step;
  const { machine, outputs } = restarted(step.machine);
  return { machine, outputs: [...step.outputs, ...outputs] };
}
