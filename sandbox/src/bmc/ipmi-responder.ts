/** A simulated BMC that speaks IPMI 2.0 over UDP. It can be made to lie. */
import {
  activatePayloadCommand,
  answerRequest,
  completion,
  createResponder,
  deactivatePayloadCommand,
  netFn,
  payloadType,
  sendToClient,
  stepResponder,
  type IpmiCrypto,
  type IpmiResponse,
  type ReceivedRequest,
  type Responder,
  type ResponderSettings,
  type ResponderStep,
} from '@tinkerbell/ipmi';
import type { Clock, Random, Udp, UdpAddress, UdpPeer, UdpSocket } from '@tinkerbell/platform-contract';
import { failure } from './command-answers.ts';
import { answerCommand } from './ipmi-commands.ts';
import { SimulatedConsole } from './simulated-console.ts';
import { spoilDigest, type IpmiLies } from './ipmi-lies.ts';
import type { SimulatedMachine } from './simulated-machine.ts';

export interface IpmiResponderDeps {
  readonly udp: Udp;
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: IpmiCrypto;
}

export interface IpmiResponderOptions {
  readonly settings: ResponderSettings;
  readonly machine: SimulatedMachine;
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Default: 0, which lets the platform choose. */
  readonly port?: number;
}

const ENTROPY_BYTES = 20;

export class IpmiResponder implements AsyncDisposable {
  /** May be changed at any time. */
  readonly lies: IpmiLies = {};
  readonly machine: SimulatedMachine;
  readonly #deps: IpmiResponderDeps;
  readonly #console: SimulatedConsole;
  readonly #peers = new Map<number, UdpPeer>();
  #responder: Responder;
  #socket: UdpSocket | undefined;
  #held: { readonly bytes: Uint8Array; readonly to: UdpAddress } | undefined;

  private constructor(deps: IpmiResponderDeps, { settings, machine }: IpmiResponderOptions) {
    this.#deps = deps;
    this.machine = machine;
    this.#responder = createResponder(settings);
    this.#console = new SimulatedConsole(deps.clock, machine.serial, (sessionId, bytes) => {
      const payload = { type: payloadType.sol, bytes };
      this.#perform(
        sendToClient(this.#responder, { sessionId, payload }, deps.crypto),
        this.#peers.get(sessionId),
      );
    });
  }

  static async open(deps: IpmiResponderDeps, options: IpmiResponderOptions): Promise<IpmiResponder> {
    const responder = new IpmiResponder(deps, options);
    const { address = '127.0.0.1', port = 0 } = options;
    responder.#socket = await deps.udp.open(
      { address, port },
      {
        onDatagram: ({ bytes, peer }) => responder.#onDatagram(bytes.slice(), peer),
        onError: () => undefined,
      },
    );
    return responder;
  }

  get port(): number {
    return this.#socket?.local.port ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#console.close();
    await this.#socket?.close();
    this.#socket = undefined;
  }

  #onDatagram(bytes: Uint8Array, peer: UdpPeer): void {
    const { clock, random, crypto } = this.#deps;
    const datagram = {
      peer: peer.key,
      bytes,
      nowMs: clock.monotonicMs(),
      entropy: random.bytes(ENTROPY_BYTES),
    };
    this.#perform(stepResponder(this.#responder, datagram, crypto), peer);
  }

  #perform(step: ResponderStep, peer: UdpPeer | undefined): void {
    this.#responder = step.responder;
    for (const id of step.ended ?? []) {
      this.#console.endSession(id);
      this.#peers.delete(id);
    }
    if (peer !== undefined)
      for (const datagram of step.sends) this.#send(spoilDigest(datagram, this.lies), peer);
    if (step.request !== undefined && peer !== undefined) void this.#onRequest(step.request, peer);
    if (step.payload?.payload.type === payloadType.sol) {
      this.#console.receive(step.payload.sessionId, step.payload.payload.bytes);
    }
  }

  async #onRequest(request: ReceivedRequest, peer: UdpPeer): Promise<void> {
    if (this.lies.forgetsSessions === true) return;
    this.#peers.set(request.sessionId, peer);
    const response = await this.#responseTo(request);
    this.#perform(answerRequest(this.#responder, { request, response }, this.#deps.crypto), peer);
  }

  #responseTo({ sessionId, message }: ReceivedRequest): IpmiResponse | Promise<IpmiResponse> {
    const { busyAnswers = 0 } = this.lies;
    if (busyAnswers > 0) {
      this.lies.busyAnswers = busyAnswers - 1;
      return failure(completion.nodeBusy);
    }
    const isApplication = message.netFn === netFn.application;
    if (isApplication && message.command === activatePayloadCommand) {
      return this.#console.activate(sessionId, { request: message, port: this.port });
    }
    if (isApplication && message.command === deactivatePayloadCommand) {
      return this.#console.deactivate(message);
    }
    return answerCommand(message, { machine: this.machine, lies: this.lies });
  }

  #send(bytes: Uint8Array, to: UdpAddress): void {
    const { answersLateMs = 0, duplicatesPackets, reordersPackets } = this.lies;
    const sendNow = (): void => {
      const held = this.#held;
      this.#held = undefined;
      if (reordersPackets === true && held === undefined) {
        this.#held = { bytes, to };
        return;
      }
      this.#socket?.send(bytes, to);
      if (duplicatesPackets === true) this.#socket?.send(bytes, to);
      if (held !== undefined) this.#socket?.send(held.bytes, held.to);
    };
    if (answersLateMs > 0) this.#deps.clock.schedule(answersLateMs, sendNow);
    else sendNow();
  }
}
