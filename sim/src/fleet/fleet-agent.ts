/** The agent of one machine over its boots: it loads the in-memory OS, and connects when it is asked for an action. */
import type { GivenAction } from '../machine/model.ts';
import { AgentSession, type AgentIdentity } from './agent-session.ts';
import { bootScriptIn, type BootScript } from './boot-script.ts';
import type { FleetWorld } from './fleet-world.ts';
import { CallError } from './grpc-connection.ts';
import { get } from './http-get.ts';
import type { MachinePlan } from './machine-plan.ts';

const HEAD_BYTES = 64 * 1024;
/** UNAVAILABLE, DEADLINE_EXCEEDED: the server may answer the same call later. */
const TEMPORARY_CODES: readonly number[] = [4, 14];

export class FleetAgent {
  readonly #plan: MachinePlan;
  readonly #world: Pick<FleetWorld, 'options' | 'clock' | 'watcher'>;
  readonly #onProblem: (problem: string) => void;
  #script: BootScript = bootScriptIn('');
  #identity: AgentIdentity | undefined;
  #session: AgentSession | undefined;
  #hasImages = false;
  /** A session that opens for a boot that has ended is closed. */
  #boots = 0;

  constructor(
    plan: MachinePlan,
    world: Pick<FleetWorld, 'options' | 'clock' | 'watcher'>,
    onProblem: (problem: string) => void,
  ) {
    this.#plan = plan;
    this.#world = world;
    this.#onProblem = onProblem;
  }

  /** The machine has loaded this script. */
  booted(script: string): void {
    this.close();
    this.#script = bootScriptIn(script);
    this.#hasImages = false;
    const given = this.#script.arguments;
    this.#identity = {
      agentId: given.get('worker_id') ?? this.#plan.mac,
      address: this.#plan.address,
      authority: given.get('grpc_authority') ?? '',
      isTls: given.get('tinkerbell_tls') === 'true',
      bootToken: given.get('tinkerbell_boot_token') ?? '',
    };
  }

  async next(signal: AbortSignal): Promise<GivenAction> {
    await this.#loadImages(signal);
    const session = await this.#opened();
    const action = await session.next();
    this.#world.watcher.given(this.#plan, action.actionId);
    return action;
  }

  async report(action: GivenAction, state: 'RUNNING' | 'SUCCESS'): Promise<void> {
    const startedMs = this.#world.clock.monotonicMs();
    const session = await this.#opened();
    await session.report(action, state);
    this.#world.watcher.measured('report', this.#world.clock.monotonicMs() - startedMs);
    if (state === 'SUCCESS') this.#world.watcher.acknowledged(this.#plan, action.actionId);
  }

  isRefusal(error: unknown): boolean {
    return error instanceof CallError && !TEMPORARY_CODES.includes(error.code);
  }

  close(): void {
    this.#boots += 1;
    this.#session?.close();
    this.#session = undefined;
  }

  async #opened(): Promise<AgentSession> {
    if (this.#session?.isOpen() === true) return this.#session;
    this.#session?.close();
    this.#session = undefined;
    if (this.#identity === undefined) throw new Error('the boot script names no gRPC server');
    const boot = this.#boots;
    const session = await AgentSession.open(this.#identity);
    if (boot !== this.#boots) {
      session.close();
      throw new Error('the machine has restarted');
    }
    this.#session = session;
    return session;
  }

  /** Kernel and initramfs, one after the other, as iPXE does. */
  async #loadImages(signal: AbortSignal): Promise<void> {
    const { images } = this.#world.options;
    if (images === 'none' || this.#hasImages) return;
    const startedMs = this.#world.clock.monotonicMs();
    const bytesMax = images === 'head' ? { bytesMax: HEAD_BYTES } : {};
    for (const url of this.#script.images) {
      const options = { localAddress: this.#plan.address, signal, isKept: false, ...bytesMax };
      const { status } = await get(url, options);
      if (status !== 200 && status !== 206) {
        this.#onProblem(`${url}: HTTP ${status}`);
        throw new Error(`${url}: HTTP ${status}`);
      }
    }
    this.#hasImages = true;
    this.#world.watcher.measured('images', this.#world.clock.monotonicMs() - startedMs);
  }
}
