/** A server that a test controls frame by frame, and what the client hears of it. */
import { ClientConnection, encodeFields, type ClientStream, type ConnectionLimits } from '../index.ts';
import { framesIn, optionsOf, settings } from './raw-client.ts';

const REQUEST = encodeFields([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/a.B/C'],
  [':authority', 'a'],
]);

/** With `own`, the server has sent these settings, and what the client began with is taken. */
export function serverOf(
  own?: readonly (readonly [id: number, value: number])[],
  limits: Partial<ConnectionLimits> = {},
) {
  const heard: string[] = [];
  const connection = new ClientConnection(
    {
      ready: () => heard.push('ready'),
      output: () => undefined,
      paused: () => connection.receive(new Uint8Array(0)),
      finished: (code) => heard.push(`finished ${code}`),
    },
    optionsOf(limits),
  );
  const send = (...frames: readonly Uint8Array[]): void => connection.receive(Buffer.concat(frames));
  if (own !== undefined) {
    connection.takeOutput();
    send(settings(own));
    connection.takeOutput();
  }
  return {
    connection,
    heard,
    send,
    /** The frames that the client has sent since the last call. */
    sent: () => framesIn(Buffer.from(connection.takeOutput())),
    request: (isEnd = true, isHead = false): ClientStream =>
      connection.request({
        block: REQUEST,
        isEnd,
        isHead,
        listener: {
          answered: (status) => heard.push(`answered ${status}`),
          data: (bytes) => heard.push(`data ${Buffer.from(bytes).toString()}`),
          trailers: (fields) => heard.push(`trailers ${fields.join(',')}`),
          end: () => heard.push('end'),
          drained: () => heard.push('drained'),
          aborted: (code) => heard.push(`aborted ${code}`),
        },
      }),
  };
}
