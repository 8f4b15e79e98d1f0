/** A client that a test controls frame by frame, and what the server hears of it. */
import { encodeFields } from '../hpack-encoder.ts';
import {
  ServerConnection,
  TextPool,
  fieldOf,
  type ConnectionLimits,
  type ConnectionOptions,
  type ServerEvents,
  type ServerStream,
} from '../index.ts';

export { putInteger } from '../hpack-encoder.ts';

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export const REQUEST = encodeFields([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/a.B/C'],
]);

/** The 32 bits of a number. */
export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  bytes.set(payload, 9);
  return bytes;
}

export function settings(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const parts = values.map(([id, value]) => Buffer.concat([Buffer.from([id >> 8, id]), number(value)]));
  return frame(4, 0, 0, Buffer.concat(parts));
}

export function optionsOf(limits: Partial<ConnectionLimits> = {}): ConnectionOptions {
  return {
    pool: new TextPool(),
    allocate: (bytes) => Buffer.alloc(bytes),
    decodeText: (bytes) => Buffer.from(bytes).toString('latin1'),
    nowMs: () => 0,
    limits,
  };
}

export function framesIn(bytes: Buffer) {
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    const streamId = bytes.readUInt32BE(at + 5);
    frames.push({
      type: bytes[at + 3]!,
      flags: bytes[at + 4]!,
      streamId,
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}

export function clientOf(own: readonly (readonly [number, number])[] = [], preface = PREFACE) {
  const heard: string[] = [];
  const streams: ServerStream[] = [];
  let pauses = 0;
  const events: ServerEvents = {
    request(stream, fields) {
      streams.push(stream);
      heard.push(`request ${fieldOf(fields, ':path')}`);
      stream.listener = {
        data: (bytes) => heard.push(`data ${Buffer.from(bytes).toString()}`),
        end: () => heard.push('end'),
        drained: () => heard.push('drained'),
        aborted: () => heard.push('aborted'),
      };
    },
    output: () => undefined,
    paused: () => void (pauses += 1),
    finished: () => heard.push('finished'),
  };
  const connection = new ServerConnection(events, optionsOf());
  /** The frames that the server has sent since the last call. */
  const sent = () => framesIn(Buffer.from(connection.takeOutput()));
  const send = (bytes: Uint8Array): void => {
    const before = pauses;
    connection.receive(bytes);
    if (pauses > before) send(new Uint8Array(0));
  };
  send(Buffer.concat([Buffer.from(preface), settings(own)]));
  return {
    connection,
    heard,
    streams,
    pauses: () => pauses,
    get stream() {
      return streams.at(-1)!;
    },
    send,
    sent,
    sentText: () =>
      sent()
        .filter(({ type }) => type === 0)
        .map(({ payload }) => payload.toString())
        .join(''),
    request: (streamId: number, flags: number) => send(frame(1, 4 | flags, streamId, REQUEST)),
  };
}
