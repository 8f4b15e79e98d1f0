/** Lines on their way to the server: numbered, kept until acknowledged, sent again when the stream broke; and heartbeats. */
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  AgentService,
  HeartbeatSchema,
  Line_Stream as LineStream,
  LineSchema,
  LinesSchema,
  OutputRequestSchema,
  type Attempt,
  type Line,
  type OutputRequest,
  type OutputResponse,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { delay, type Clock } from '@tinkerbell/platform-contract';

import type { OutputSink } from './assignment.ts';
import type { Channel } from './workflow-client.ts';

const METHOD = serviceDefinition(AgentService).output;
/** Lines come in bursts: one message for each burst. */
const GATHER_MS = 50;
const LINES_AT_ONCE = 500;
/** While the server is away; the oldest go first. */
const LINES_KEPT = 5000;
const LINE_CHARACTERS_MAX = 4096;
const REOPEN_MS = 1000;
const SETTLE_MS = 2000;

const streams = { stdout: LineStream.STDOUT, stderr: LineStream.STDERR, progress: LineStream.PROGRESS };

interface Waiting {
  readonly attempt: Attempt;
  readonly line: Line;
}

export class OutputStream {
  readonly #channel: Channel;
  readonly #clock: Clock;
  #sessionId = '';
  #call: ClientDuplexStream<OutputRequest, OutputResponse> | undefined;
  #waiting: Waiting[] = [];
  /** How many of those that wait were sent on this stream. */
  #sent = 0;
  #cancelSend: (() => void) | undefined;
  #cancelHeartbeat: (() => void) | undefined;
  #onAcknowledged: (() => void) | undefined;

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
  }

  begin(sessionId: string, heartbeatMs: number): void {
    this.close();
    this.#sessionId = sessionId;
    this.#beat(heartbeatMs);
    if (this.#waiting.length > 0) this.#sendSoon();
  }

  of(attempt: Attempt): OutputSink {
    let position = 0n;
    return {
      write: (stream, text) => {
        position += 1n;
        const line = create(LineSchema, {
          position,
          stream: streams[stream],
          text: Buffer.from(text.slice(0, LINE_CHARACTERS_MAX)),
          time: timestampFromMs(this.#clock.nowMs()),
        });
        this.#waiting.push({ attempt, line });
        if (this.#waiting.length > LINES_KEPT) {
          this.#waiting.shift();
          this.#sent = Math.max(0, this.#sent - 1);
        }
        this.#sendSoon();
      },
      settled: () => this.#settled(),
    };
  }

  close(): void {
    this.#cancelHeartbeat?.();
    this.#cancelSend?.();
    this.#cancelSend = undefined;
    this.#call?.cancel();
    this.#call = undefined;
    this.#sent = 0;
    this.#sessionId = '';
  }

  async #settled(): Promise<void> {
    if (this.#waiting.length === 0 || this.#sessionId === '') return;
    this.#send();
    const done = Promise.withResolvers<void>();
    this.#onAcknowledged = done.resolve;
    await Promise.race([done.promise, delay(this.#clock, SETTLE_MS)]);
    this.#onAcknowledged = undefined;
  }

  #beat(everyMs: number): void {
    this.#cancelHeartbeat = this.#clock.schedule(everyMs, () => {
      this.#write({ case: 'heartbeat', value: create(HeartbeatSchema) });
      this.#beat(everyMs);
    });
  }

  #sendSoon(afterMs = GATHER_MS): void {
    this.#cancelSend ??= this.#clock.schedule(afterMs, () => this.#send());
  }

  #send(): void {
    this.#cancelSend?.();
    this.#cancelSend = undefined;
    while (this.#sent < this.#waiting.length && this.#sessionId !== '') {
      const rest = this.#waiting.slice(this.#sent, this.#sent + LINES_AT_ONCE);
      const attempt = rest[0]?.attempt;
      if (attempt === undefined) return;
      const others = rest.findIndex((one) => one.attempt !== attempt);
      const lines = (others < 0 ? rest : rest.slice(0, others)).map(({ line }) => line);
      this.#write({ case: 'lines', value: create(LinesSchema, { attempt, lines }) });
      this.#sent += lines.length;
    }
  }

  #write(payload: OutputRequest['payload']): void {
    if (this.#sessionId === '') return;
    this.#call ??= this.#open();
    this.#call.write(create(OutputRequestSchema, { sessionId: this.#sessionId, payload }));
  }

  #open(): ClientDuplexStream<OutputRequest, OutputResponse> {
    const call = this.#channel.makeBidiStreamRequest<OutputRequest, OutputResponse>(
      METHOD.path,
      (value) => METHOD.requestSerialize(value),
      (bytes) => METHOD.responseDeserialize(bytes),
    );
    const broken = (): void => {
      if (this.#call !== call) return;
      this.#call = undefined;
      this.#sent = 0;
      if (this.#waiting.length > 0) this.#sendSoon(REOPEN_MS);
    };
    call.on('data', (answer: OutputResponse) => this.#acknowledge(answer));
    call.on('error', broken);
    call.on('end', broken);
    return call;
  }

  #acknowledge({ attempt, position }: OutputResponse): void {
    const isTaken = (one: Waiting): boolean =>
      one.attempt.actionId === attempt?.actionId &&
      one.attempt.number === attempt.number &&
      one.line.position <= position;
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((one) => !isTaken(one));
    this.#sent = Math.max(0, this.#sent - (before - this.#waiting.length));
    if (this.#waiting.length === 0) this.#onAcknowledged?.();
  }
}
