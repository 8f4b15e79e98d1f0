import {
  CHARACTERS_MAX,
  completion,
  encodeActivatedSol,
  isForSol,
  startSolStream,
  stepSolStream,
  unacceptedCount,
  type IpmiRequest,
  type IpmiResponse,
  type SolEvent,
  type SolStream,
} from '@tinkerbell/ipmi';
import type { Clock } from '@tinkerbell/platform-contract';
import { failure, success } from './command-answers.ts';
import type { SimulatedSerial } from './simulated-machine.ts';

/** What a console that is not read keeps. The rest of the output is lost, as with a serial cable. */
const OUTPUT_BYTES_MAX = 64 * 1024;
const STREAM_TIMEOUT_MS = 10_000;
const ACTIVE_ELSEWHERE = 0x80;
const ALREADY_INACTIVE = 0x80;

/** The serial console of a simulated BMC. One session at a time has it. */
export class SimulatedConsole {
  readonly #clock: Clock;
  readonly #serial: SimulatedSerial;
  readonly #send: (sessionId: number, payload: Uint8Array) => void;
  #active: { readonly sessionId: number; stream: SolStream } | undefined;
  #cancelTimer = (): void => undefined;

  constructor(clock: Clock, serial: SimulatedSerial, send: (sessionId: number, payload: Uint8Array) => void) {
    this.#clock = clock;
    this.#serial = serial;
    this.#send = send;
    serial.onOutput = (characters) => {
      const waiting = this.#active === undefined ? 0 : unacceptedCount(this.#active.stream);
      if (waiting + characters.length <= OUTPUT_BYTES_MAX) this.#on({ kind: 'write', characters });
    };
  }

  activate(
    sessionId: number,
    { request, port }: { readonly request: IpmiRequest; readonly port: number },
  ): IpmiResponse {
    if (!isForSol(request)) return failure(completion.invalidField);
    if (this.#active !== undefined && this.#active.sessionId !== sessionId) return failure(ACTIVE_ELSEWHERE);
    const options = { side: 'bmc', charactersMax: CHARACTERS_MAX, timeoutMs: STREAM_TIMEOUT_MS } as const;
    this.#active = { sessionId, stream: startSolStream(options) };
    return success(encodeActivatedSol({ charactersToBmcMax: CHARACTERS_MAX, port }));
  }

  deactivate(request: IpmiRequest): IpmiResponse {
    if (!isForSol(request)) return failure(completion.invalidField);
    if (this.#active === undefined) return failure(ALREADY_INACTIVE);
    // Any session may close the console of another one, as `ipmitool sol deactivate` does.
    this.endSession(this.#active.sessionId);
    return success();
  }

  receive(sessionId: number, payload: Uint8Array): void {
    if (this.#active?.sessionId === sessionId) this.#on({ kind: 'packet', payload });
  }

  endSession(sessionId: number): void {
    if (this.#active?.sessionId !== sessionId) return;
    this.close();
  }

  close(): void {
    this.#active = undefined;
    this.#cancelTimer();
  }

  #on(event: SolEvent): void {
    const active = this.#active;
    if (active === undefined) return;
    const step = stepSolStream(active.stream, event);
    active.stream = step.stream;
    for (const payload of step.sends) this.#send(active.sessionId, payload);
    if (step.timeoutMs !== undefined) {
      this.#cancelTimer();
      this.#cancelTimer = this.#clock.schedule(step.timeoutMs, () => this.#on({ kind: 'timeout' }));
    }
    if (step.hasBreak === true) this.#serial.sendBreak();
    if (step.output !== undefined) this.#serial.write(step.output);
    if (step.outcome !== undefined) this.close();
  }
}
