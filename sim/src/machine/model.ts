/** What an agent was given. */
export interface GivenAction {
  readonly workflowId: string;
  readonly taskId: string;
  readonly actionId: string;
  readonly name: string;
}

/** What the agent waits for. */
export type AgentState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'reporting'; readonly action: GivenAction; readonly state: 'RUNNING' | 'SUCCESS' }
  | { readonly kind: 'working'; readonly action: GivenAction };

export interface Machine {
  readonly mac: string;
  /** How long it works on an action, ms. */
  readonly work: (action: GivenAction) => number;
  readonly phase:
    | 'off'
    | 'starting'
    | 'firmware-dhcp'
    | 'firmware-tftp'
    | 'loader-dhcp'
    | 'loader-script'
    | 'agent'
    /** It runs the operating system of its disk. */
    | 'disk';
  /** The number of the timer that counts. Others have been overtaken. */
  readonly timer: number;
  readonly tries: number;
  readonly transactionId: number;
  /** The address of an accepted offer. */
  readonly address?: string;
  /** The boot file of the last acknowledgement: a name for TFTP, or the URL of the script. */
  readonly bootFile?: string;
  /** The last block that arrived by TFTP, and the port from which it came. */
  readonly block?: { readonly number: number; readonly port: number };
  readonly agent?: AgentState;
}

export type MachineInput =
  | { readonly kind: 'power-on' | 'power-off' }
  | {
      readonly kind: 'datagram';
      readonly bytes: Uint8Array;
      readonly fromPort: number;
      readonly toPort: number;
    }
  | { readonly kind: 'timer'; readonly number: number }
  /** Undefined: there was no answer, or one that is not a script. */
  | { readonly kind: 'script'; readonly text: string | undefined }
  | { readonly kind: 'action'; readonly action: GivenAction }
  | { readonly kind: 'acknowledged' }
  /** A call ended without what it asked for. `isRefusal`: the server said no, and repeating it is pointless. */
  | { readonly kind: 'call-failed'; readonly isRefusal: boolean };

export type MachineOutput =
  | { readonly kind: 'send'; readonly bytes: Uint8Array; readonly fromPort: number; readonly toPort: number }
  | Timer
  | { readonly kind: 'get-script'; readonly url: string }
  | { readonly kind: 'get-action' }
  | { readonly kind: 'report'; readonly action: GivenAction; readonly state: 'RUNNING' | 'SUCCESS' };

export interface Timer {
  readonly kind: 'timer';
  readonly afterMs: number;
  readonly number: number;
  /** Whether the machine waits for somebody's answer, or is busy with something of its own. */
  readonly isBusy: boolean;
}

export interface Step {
  readonly machine: Machine;
  readonly outputs: readonly MachineOutput[];
}

/** The same machine, whose older timers no longer count, and a new timer. It waits for an answer. */
export function withTimer(machine: Machine, afterMs: number): Step {
  return timed(machine, { afterMs, isBusy: false });
}

/** The same, for something that the machine does by itself. */
export function busyFor(machine: Machine, afterMs: number): Step {
  return timed(machine, { afterMs, isBusy: true });
}

function timed(machine: Machine, { afterMs, isBusy }: Pick<Timer, 'afterMs' | 'isBusy'>): Step {
  const number = machine.timer + 1;
  return { machine: { ...machine, timer: number }, outputs: [{ kind: 'timer', afterMs, number, isBusy }] };
}
