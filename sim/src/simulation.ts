/** Runs one simulated site until every machine runs the system of its disk. */
import { create } from '@bufbuild/protobuf';
import { ActionRequestSchema, ActionStatusRequestSchema, StateType } from '@tinkerbell/api/agent';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { Invariants } from './invariants.ts';
import { machineStep, newMachine } from './machine/machine.ts';
import type { GivenAction, Machine, MachineInput, MachineOutput } from './machine/model.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { macOf } from './site/addresses.ts';
import { machineName, NAMESPACE, siteWrites } from './site/objects.ts';
import { SimulatedNetwork, type NetworkFaults } from './site/simulated-network.ts';
import { serverGone, SimulatedServer } from './site/simulated-server.ts';
import type { StoreFaults } from './site/store-of-run.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly machines: number;
  readonly network: NetworkFaults;
  readonly store: StoreFaults;
  /** Crashes of the server at random moments, per simulated hour. */
  readonly crashesPerHour: number;
  /** Labels of workflows that an operator changes, per simulated hour. */
  readonly editsPerHour: number;
  /** The share of machines that lose power once at a random moment. */
  readonly powerLosses: number;
  /** The time over which the machines are switched on, ms. */
  readonly powerOnMs: number;
}

export interface SimulationReport {
  readonly seed: number;
  readonly machines: number;
  /** Machines that run the system of their disk. */
  readonly installed: number;
  readonly simulatedSeconds: number;
  readonly packets: number;
  readonly calls: number;
  readonly crashes: number;
  readonly powerLosses: number;
  /** What did not hold. */
  readonly broken: readonly string[];
}

const HOUR_MS = 3_600_000;
/** A site that is not done after this simulated time hangs. */
const SIMULATED_MS_MAX = 24 * 3600 * 1000;
const DOWN_MS = { min: 500, max: 20_000 };
const WORK_MS = { min: 200, max: 60_000 };
/** After a power loss. */
const POWER_RETURNS_MS = { min: 1000, max: 120_000 };
/** Most machines are busy then. */
const POWER_LOSS_WITHIN_MS = 600_000;
/** gRPC gives up a call whose server is gone. */
const CALL_DELAY_MAX_MS = 20;

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const simulation = new Simulation(options);
  return simulation.run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #clock = new SimulatedClock();
  readonly #random: SeededRandom;
  readonly #store = createMemoryStore({ changesKept: 1_000_000 });
  readonly #invariants = new Invariants();
  readonly #machines = new Map<string, Machine>();
  /** What ends the open call of a machine. */
  readonly #calls = new Map<string, AbortController>();
  readonly #network: SimulatedNetwork;
  readonly #server: SimulatedServer;
  #activity = 0;
  #called = 0;
  #crashes = 0;
  #powerLosses = 0;
  #installed = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    const random = new SeededRandom(options.seed);
    this.#random = random;
    const clock = this.#clock;
    this.#network = new SimulatedNetwork({
      clock,
      random: random.fork(1),
      faults: options.network,
      deliver: (mac, arrived) => this.#happened(mac, { kind: 'datagram', ...arrived }),
    });
    this.#server = new SimulatedServer({
      clock,
      random: random.fork(2),
      network: this.#network,
      store: this.#store,
      faults: options.store,
      onCrash: () => this.#crashed(),
      onCall: () => void (this.#activity += 1),
    });
  }

  async run(): Promise<SimulationReport> {
    const { machines, seed } = this.#options;
    const committed = await this.#store.commit(siteWrites(machines));
    if (!committed.ok) throw new Error(committed.message);
    await this.#invariants.follow(this.#store);
    this.#begin(() => this.#server.start());
    for (let index = 0; index < machines; index += 1) this.#plan(macOf(index));
    this.#repeat(this.#options.crashesPerHour, () => this.#crash());
    this.#repeat(this.#options.editsPerHour, () => this.#edit());
    const limitMs = this.#clock.nowMs() + SIMULATED_MS_MAX;
    while (!this.#isOver() && this.#clock.nowMs() < limitMs) {
      await this.#settled();
      if (!this.#clock.runNext()) break;
    }
    await this.#settled();
    const broken = [...this.#invariants.broken(), ...this.#invariants.unfinished()];
    return {
      seed,
      machines,
      installed: this.#installed,
      simulatedSeconds: Math.round(this.#clock.monotonicMs() / 1000),
      packets: this.#network.packets(),
      calls: this.#called,
      crashes: this.#crashes,
      powerLosses: this.#powerLosses,
      broken,
    };
  }

  #isOver(): boolean {
    return this.#installed === this.#options.machines || this.#invariants.broken().length > 0;
  }

  /** Waits until nothing happens any more without time passing. */
  async #settled(): Promise<void> {
    let before: number;
    do {
      before = this.#activity;
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    } while (this.#activity !== before);
  }

  #plan(mac: string): void {
    const random = this.#random;
    const work = (): number => random.between(WORK_MS.min, WORK_MS.max);
    this.#machines.set(mac, newMachine(mac, work));
    this.#clock.schedule(random.between(0, this.#options.powerOnMs), () =>
      this.#happened(mac, { kind: 'power-on' }),
    );
    if (!random.happens(this.#options.powerLosses)) return;
    this.#clock.schedule(random.between(0, POWER_LOSS_WITHIN_MS), () => this.#losePower(mac));
  }

  #losePower(mac: string): void {
    const phase = this.#machines.get(mac)?.phase;
    if (phase === 'off' || phase === 'disk') return;
    this.#powerLosses += 1;
    this.#happened(mac, { kind: 'power-off' });
    // Half of the connections stay open, because nobody closed them.
    if (this.#random.happens(0.5)) this.#calls.get(mac)?.abort();
    this.#clock.schedule(this.#random.between(POWER_RETURNS_MS.min, POWER_RETURNS_MS.max), () =>
      this.#happened(mac, { kind: 'power-on' }),
    );
  }

  /** At random moments, as often as this on average. */
  #repeat(perHour: number, act: () => void): void {
    if (perHour === 0) return;
    this.#clock.schedule((-Math.log(1 - this.#random.fraction()) * HOUR_MS) / perHour, () => {
      act();
      this.#repeat(perHour, act);
    });
  }

  #crash(): void {
    if (!this.#server.isRunning()) return;
    this.#server.crash();
    this.#crashed();
  }

  #edit(): void {
    const name = machineName(Math.floor(this.#random.between(0, this.#options.machines)));
    this.#begin(() =>
      this.#server.label({ namespace: NAMESPACE, name }, String(this.#called)).catch(() => undefined),
    );
  }

  #crashed(): void {
    this.#crashes += 1;
    this.#clock.schedule(this.#random.between(DOWN_MS.min, DOWN_MS.max), () =>
      this.#begin(() => this.#server.start()),
    );
  }

  #happened(mac: string, input: MachineInput): void {
    this.#activity += 1;
    const before = this.#machines.get(mac);
    if (before === undefined) return;
    const { machine, outputs } = machineStep(before, input);
    this.#machines.set(mac, machine);
    if (machine.address !== undefined && machine.address !== before.address) {
      this.#network.own(machine.address, mac);
      this.#invariants.addressed(machine.address, mac);
    }
    if (machine.phase === 'disk' && before.phase !== 'disk') this.#installed += 1;
    for (const output of outputs) this.#perform(machine, output);
  }

  #perform(machine: Machine, output: MachineOutput): void {
    const { mac, address } = machine;
    switch (output.kind) {
      case 'send':
        this.#network.fromMachine(machine.phase.endsWith('dhcp') ? undefined : address, output);
        break;
      case 'timer':
        this.#clock.schedule(output.afterMs, () => this.#happened(mac, output));
        break;
      case 'get-script':
        this.#begin(async () => {
          const text = await this.#server.script(output.url, address ?? '').catch(() => undefined);
          this.#answer(machine, { kind: 'script', text });
        });
        break;
      case 'get-action':
        this.#begin(() => this.#getAction(machine));
        break;
      case 'report':
        this.#begin(() => this.#report(machine, output));
        break;
    }
  }

  async #getAction(machine: Machine): Promise<void> {
    const { mac } = machine;
    const ending = new AbortController();
    this.#calls.set(mac, ending);
    try {
      const request = create(ActionRequestSchema, { agentId: mac });
      const { workflowId, taskId, actionId, name } = await this.#server.getAction(request, ending.signal);
      const action = { workflowId, taskId, actionId, name };
      this.#answer(machine, { kind: 'action', action }, () => this.#invariants.given(action));
    } catch (error) {
      this.#answer(machine, { kind: 'call-failed', isRefusal: error !== serverGone });
    }
  }

  async #report(
    machine: Machine,
    { action, state }: { readonly action: GivenAction; readonly state: 'RUNNING' | 'SUCCESS' },
  ): Promise<void> {
    const { mac } = machine;
    const request = create(ActionStatusRequestSchema, {
      workflowId: action.workflowId,
      agentId: mac,
      taskId: action.taskId,
      actionId: action.actionId,
      actionName: action.name,
      actionState: StateType[state],
    });
    try {
      await this.#server.reportActionStatus(request);
      if (state === 'SUCCESS') this.#invariants.ended(action);
      this.#answer(machine, { kind: 'acknowledged' });
    } catch (error) {
      this.#answer(machine, { kind: 'call-failed', isRefusal: error !== serverGone });
    }
  }

  /** The answer arrives after a while, unless the machine has lost power or given up. */
  #answer(machine: Machine, input: MachineInput, onArrival = (): void => undefined): void {
    this.#activity += 1;
    this.#clock.schedule(this.#random.between(0, CALL_DELAY_MAX_MS), () => {
      const now = this.#machines.get(machine.mac);
      if (now === undefined || now.timer !== machine.timer || now.phase !== machine.phase) return;
      onArrival();
      this.#happened(machine.mac, input);
    });
  }

  #begin(work: () => Promise<void>): void {
    this.#activity += 1;
    this.#called += 1;
    void work().finally(() => {
      this.#activity += 1;
    });
  }
}
