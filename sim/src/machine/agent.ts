/** The agent of upstream's protocol: it asks for an action, reports that it runs, works, reports its end, and asks again. */
import {
  busyFor,
  withTimer,
  type AgentState,
  type GivenAction,
  type Machine,
  type MachineInput,
  type Step,
} from './model.ts';

/** Before a call that failed is repeated, ms. */
const RETRY_MS = 2000;
/** The action after which the machine restarts. */
const REBOOT = 'reboot';

export function agentStep(machine: Machine, input: MachineInput): Step {
  if (input.kind === 'timer') return onTimer(machine);
  if (input.kind === 'call-failed') return onFailure(machine, input.isRefusal);
  const { agent } = machine;
  if (input.kind === 'action' && agent?.kind === 'asking') return report(machine, input.action, 'RUNNING');
  if (input.kind === 'acknowledged' && agent?.kind === 'reporting') return onAcknowledged(machine, agent);
  return { machine, outputs: [] };
}

/** A start that is refused must not happen. The end of an action is reported until somebody has it. */
function onFailure(machine: Machine, isRefusal: boolean): Step {
  const { agent } = machine;
  const isRefusedStart = isRefusal && agent?.kind === 'reporting' && agent.state === 'RUNNING';
  return withTimer(isRefusedStart ? { ...machine, agent: { kind: 'asking' } } : machine, RETRY_MS);
}

function onTimer(machine: Machine): Step {
  const { agent = { kind: 'asking' } as const } = machine;
  switch (agent.kind) {
    case 'asking':
      return { machine, outputs: [{ kind: 'get-action' }] };
    case 'working':
      return report(machine, agent.action, 'SUCCESS');
    case 'reporting':
      return report(machine, agent.action, agent.state);
  }
}

function report(machine: Machine, action: GivenAction, state: 'RUNNING' | 'SUCCESS'): Step {
  return {
    machine: { ...machine, agent: { kind: 'reporting', action, state } },
    outputs: [{ kind: 'report', action, state }],
  };
}

function onAcknowledged(
  machine: Machine,
  { action, state }: Extract<AgentState, { kind: 'reporting' }>,
): Step {
  if (state === 'RUNNING')
    return busyFor({ ...machine, agent: { kind: 'working', action } }, machine.work(action));
  if (action.name === REBOOT) return { machine: { ...machine, phase: 'starting' }, outputs: [] };
  return { machine: { ...machine, agent: { kind: 'asking' } }, outputs: [{ kind: 'get-action' }] };
}
