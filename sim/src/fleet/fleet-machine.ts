/** A machine of a fleet: the pure state machine of `machine/`, driven by real sockets and the real clock. */
import { CLIENT_PORT, SERVER_PORT } from '@tinkerbell/dhcp';
import { messageOf } from '@tinkerbell/platform-contract';
import { machineStep, newMachine } from '../machine/machine.ts';
import type { Machine, MachineInput, MachineOutput, Timer } from '../machine/model.ts';
import { gotText, sentText } from './exchange-text.ts';
import { FleetAgent } from './fleet-agent.ts';
import type { FleetWorld } from './fleet-world.ts';
import { get } from './http-get.ts';
import type { MachinePlan } from './machine-plan.ts';
import { problemIn } from './packet-problem.ts';
import { TftpPort } from './tftp-port.ts';

/** `disk`: it starts from its disk. Whether that is right depends on its Workflow. */
export type BootOutcome =
  | { readonly kind: 'disk' }
  | { readonly kind: 'failed'; readonly step: string; readonly reason: string };

/** Phases in which firmware or iPXE gives up after some tries. */
const NETWORK_PHASES: readonly Machine['phase'][] = [
  'firmware-dhcp',
  'firmware-tftp',
  'loader-dhcp',
  'loader-script',
];

const BUSY = { isBusy: true };

export class FleetMachine {
  readonly #plan: MachinePlan;
  readonly #world: FleetWorld;
  readonly #ended = Promise.withResolvers<BootOutcome>();
  readonly #tftp: TftpPort;
  readonly #agent: FleetAgent;
  #machine: Machine;
  #enteredMs: number;
  #willCrash: boolean;
  #isOver = false;
  /** The last answer that was an error. */
  #problem: string | undefined;
  #cancelTimer = (): void => undefined;
  #stopCalls = new AbortController();

  constructor(plan: MachinePlan, world: FleetWorld) {
    this.#plan = plan;
    this.#world = world;
    const { min, max } = world.options.workMs;
    this.#machine = newMachine(plan.mac, () => plan.random.between(min, max) * world.options.speed);
    this.#willCrash = plan.crash !== undefined;
    this.#enteredMs = world.clock.monotonicMs();
    this.#tftp = new TftpPort(plan.address, world, (bytes, fromPort, toPort) =>
      this.#received({ kind: 'datagram', bytes, fromPort, toPort }),
    );
    this.#agent = new FleetAgent(plan, world, (problem) => (this.#problem = problem));
  }

  /** Switches it on. Resolves when it starts from its disk or has failed. */
  async boot(): Promise<BootOutcome> {
    const { relay, clock, options } = this.#world;
    const { mac } = this.#plan;
    relay.attach(mac, (bytes) =>
      this.#received({ kind: 'datagram', bytes, fromPort: SERVER_PORT, toPort: CLIENT_PORT }),
    );
    const cancelTimeout = clock.schedule(options.timeoutMs, () => this.#timedOut());
    this.#happened({ kind: 'power-on' });
    const outcome = await this.#ended.promise;
    cancelTimeout();
    relay.detach(mac);
    return outcome;
  }

  /** Ends it as a failure, from outside. */
  stop(reason: string): void {
    this.#end({ kind: 'failed', step: this.#machine.phase, reason });
  }

  #received(input: MachineInput & { readonly kind: 'datagram' }): void {
    this.#problem = problemIn(input) ?? this.#problem;
    for (let copy = this.#copies(); copy > 0; copy -= 1) this.#happened(input);
  }

  /** How often a datagram arrives. */
  #copies(): number {
    const { random } = this.#plan;
    const { loss, duplication } = this.#world.options;
    if (random.happens(loss)) return 0;
    return random.happens(duplication) ? 2 : 1;
  }

  #happened(input: MachineInput): void {
    if (this.#isOver) return;
    const before = this.#machine;
    const { machine, outputs } = machineStep(before, input);
    this.#machine = machine;
    if (machine !== before) this.#note(input);
    if (machine.address !== undefined && machine.address !== before.address)
      this.#world.watcher.addressed(machine.address, machine.mac);
    if (machine.phase !== before.phase) this.#entered(before, input);
    for (const output of outputs) this.#perform(output);
  }

  #entered(before: Machine, input: MachineInput): void {
    const { phase } = this.#machine;
    const nowMs = this.#world.clock.monotonicMs();
    this.#world.watcher.entered(this.#machine, before.phase, nowMs - this.#enteredMs);
    this.#enteredMs = nowMs;
    if (before.phase === 'firmware-tftp') this.#tftp.close();
    if (before.phase === 'agent') this.#agent.close();
    if (phase === 'disk') return this.#end({ kind: 'disk' });
    const hasGivenUp =
      phase === 'starting' && input.kind !== 'power-on' && NETWORK_PHASES.includes(before.phase);
    if (hasGivenUp)
      return this.#end({ kind: 'failed', step: before.phase, reason: this.#problem ?? 'no answer' });
    this.#problem = undefined;
    const { crash } = this.#plan;
    if (this.#willCrash && crash?.phase === phase)
      this.#later({ ...BUSY, afterMs: crash.afterMs }, () => this.#crash(phase));
  }

  /** Loses its power, if it is still there. */
  #crash(phase: Machine['phase']): void {
    if (this.#isOver || this.#machine.phase !== phase || !this.#willCrash) return;
    this.#willCrash = false;
    this.#world.watcher.crashed();
    this.#stopCalls.abort();
    this.#stopCalls = new AbortController();
    this.#tftp.close();
    this.#agent.close();
    this.#happened({ kind: 'power-off' });
    this.#later({ ...BUSY, afterMs: this.#plan.crash?.offMs ?? 0 }, () =>
      this.#happened({ kind: 'power-on' }),
    );
  }

  /** What changed nothing, such as a packet that came twice, is not an exchange. */
  #note(input: MachineInput): void {
    const { onExchange } = this.#world;
    if (onExchange === undefined) return;
    if (input.kind === 'power-on') onExchange(this.#plan.name, 'on', '');
    const text = gotText(input);
    if (text !== undefined) onExchange(this.#plan.name, 'got', text);
  }

  #perform(output: MachineOutput): void {
    if (this.#isOver) return;
    const sent = this.#world.onExchange === undefined ? undefined : sentText(output);
    if (sent !== undefined) this.#world.onExchange?.(this.#plan.name, 'sent', sent);
    switch (output.kind) {
      case 'send':
        for (let copy = this.#copies(); copy > 0; copy -= 1) this.#send(output);
        break;
      case 'timer':
        this.#cancelTimer();
        this.#cancelTimer = this.#later(output, () => this.#happened(output));
        break;
      case 'get-script':
        void this.#getScript(output.url);
        break;
      case 'get-action':
        void this.#call(async () => ({
          kind: 'action',
          action: await this.#agent.next(this.#stopCalls.signal),
        }));
        break;
      case 'report':
        void this.#call(async () => {
          await this.#agent.report(output.action, output.state);
          return { kind: 'acknowledged' };
        });
        break;
    }
  }

  #send({ bytes, toPort }: Extract<MachineOutput, { kind: 'send' }>): void {
    if (toPort === SERVER_PORT) this.#world.relay.forward(bytes);
    else this.#tftp.send(bytes, toPort);
  }

  async #getScript(url: string): Promise<void> {
    const asked = this.#machine;
    const options = { localAddress: this.#plan.address, signal: this.#stopCalls.signal, isKept: true };
    let text: string | undefined;
    try {
      const got = await get(url, options);
      if (got.status === 200) text = got.text;
      else this.#problem = `${url}: HTTP ${got.status} ${got.text.trim().slice(0, 200)}`;
    } catch (error) {
      this.#problem = `${url}: ${messageOf(error)}`;
    }
    if (text !== undefined) this.#agent.booted(text);
    this.#answer(asked, { kind: 'script', text });
  }

  async #call(call: () => Promise<MachineInput>): Promise<void> {
    const asked = this.#machine;
    try {
      this.#answer(asked, await call());
    } catch (error) {
      if (this.#isCurrent(asked)) this.#problem = messageOf(error);
      this.#answer(asked, { kind: 'call-failed', isRefusal: this.#agent.isRefusal(error) });
    }
  }

  /** Without effect when the machine no longer waits for the answer. */
  #answer(asked: Machine, input: MachineInput): void {
    if (this.#isCurrent(asked)) this.#happened(input);
  }

  #isCurrent({ timer, phase }: Machine): boolean {
    return this.#machine.timer === timer && this.#machine.phase === phase;
  }

  /** The server has its own pace, so a machine waits for it as long as a real one does. */
  #later({ afterMs, isBusy }: Pick<Timer, 'afterMs' | 'isBusy'>, task: () => void): () => void {
    return this.#world.clock.schedule(isBusy ? afterMs / this.#world.options.speed : afterMs, task);
  }

  #timedOut(): void {
    const seconds = this.#world.options.timeoutMs / 1000;
    const hint = this.#problem ?? waitText(this.#machine);
    this.stop(`not done after ${seconds} s${hint === undefined ? '' : `; ${hint}`}`);
  }

  #end(outcome: BootOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#stopCalls.abort();
    this.#tftp.close();
    this.#agent.close();
    this.#ended.resolve(outcome);
  }
}

/** What an agent waits for. */
function waitText({ phase, agent }: Machine): string | undefined {
  if (phase !== 'agent' || agent === undefined) return undefined;
  if (agent.kind === 'asking') return 'the server gave no action';
  if (agent.kind === 'working') return `it works on ${agent.action.name}`;
  return `${agent.action.name} ${agent.state} is not acknowledged`;
}
