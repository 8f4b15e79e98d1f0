/** Sends the response of an upstream to the client, at the client's speed. */
import type { Readable, Writable } from 'node:stream';
import { compressedFields, gzipStage } from './compression.ts';
import type { Exchange } from './exchange.ts';
import { endToEnd, oneValue, type HeaderFields } from './header-fields.ts';
import type { HeldBodies } from './held-bodies.ts';
import { IncomingBody } from './http2-body.ts';
import { LOST } from './refusal.ts';
import type { SlowClients } from './slow-clients.ts';
import type { UpstreamAnswer } from './upstream-client.ts';
import { releasePart } from './upstream-part.ts';

export interface RelayOptions {
  readonly exchange: Exchange;
  readonly isGrpc: boolean;
  readonly compress: boolean;
  readonly fields: HeaderFields;
  readonly slowClients: SlowClients;
  readonly heldBodies: HeldBodies;
}

/** Resolves with the bytes of the body when it has ended, for any reason. */
export function relayAnswer(answer: UpstreamAnswer, options: RelayOptions): Promise<number> {
  const { exchange, isGrpc, slowClients, heldBodies } = options;
  const accepts = options.compress ? oneValue(exchange.fields['accept-encoding']) : undefined;
  const compressed = isGrpc ? undefined : compressedFields(answer.status, options.fields, accepts);
  const { body, status } = answer;
  const isBare = status === 204 || status === 304;
  const sink = exchange.respond({
    status,
    fields: compressed ?? options.fields,
    hasBody: body !== undefined && !isBare,
    trailers: () => trailersOf(answer, isGrpc),
  });
  if (body === undefined) return Promise.resolve(0);
  if (sink === undefined) {
    body.resume();
    return Promise.resolve(0);
  }
  return new Promise((resolve) => {
    let bytes = 0;
    let isOver = false;
    const stage = compressed === undefined ? sink : gzipStage();
    if (stage !== sink) stage.pipe(sink);
    pour(body, stage, {
      waitingBytesMax: () => heldBodies.waitingBytesMax(),
      take(chunk) {
        bytes += chunk.length;
        return !isOver;
      },
      // HTTP/2 may still hold it.
      sent: exchange.protocol === 'HTTP/1.1' ? releasePart : () => undefined,
    });
    const finish = (): void => {
      if (isOver) return;
      isOver = true;
      // A gRPC call can report the failure in its trailers. Any other response must break, so that it does
      // not look complete.
      if (answer.isCut() && !isGrpc) exchange.abort();
      else stage.end();
    };
    body.once('end', finish);
    body.once('close', finish);
    const forget = heldBodies.add({
      bytes: () => unreadBytesOf(body) + sink.writableLength + (stage === sink ? 0 : stage.writableLength),
      taken: () => bytes - sink.writableLength,
      cut: () => exchange.abort(),
    });
    sink.once('close', () => {
      forget();
      isOver = true;
      body.destroy();
      resolve(bytes);
    });
    if (!isGrpc)
      slowClients.watchDownload(
        sink,
        () => bytes,
        () => exchange.abort(),
      );
  });
}

function unreadBytesOf(body: Readable): number {
  return body instanceof IncomingBody ? body.unreadBytes : body.readableLength;
}

interface Pouring {
  readonly waitingBytesMax: () => number;
  /** Returns false when the chunk must not be sent. */
  readonly take: (chunk: Uint8Array) => boolean;
  readonly sent: (chunk: Uint8Array) => void;
}

/** Like a pipe that does not end its destination. The limit of a pipe is that of the destination and does not change. */
function pour(body: Readable, stage: Writable, { waitingBytesMax, take, sent }: Pouring): void {
  const isFull = (): boolean => stage.writableLength > waitingBytesMax();
  body.on('data', (chunk: Uint8Array) => {
    if (!take(chunk)) return;
    stage.write(chunk, () => {
      sent(chunk);
      if (body.isPaused() && !isFull()) body.resume();
    });
    if (isFull()) body.pause();
  });
}

function trailersOf(answer: UpstreamAnswer, isGrpc: boolean): HeaderFields {
  return endToEnd(answer.trailers() ?? (isGrpc ? LOST : {}));
}
