import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { encodeFields } from './hpack-encoder.ts';
import { errorCodes, fieldOf } from './index.ts';
import { clientOf, frame, number, REQUEST, settings } from './testing/raw-client.ts';

const { data, headers, rstStream, ping, goaway, windowUpdate, continuation } = {
  data: 0,
  headers: 1,
  rstStream: 3,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
};
const END_STREAM = 1;
const END_HEADERS = 4;

/** What the server sends about an error of the connection. */
function goAwayCode(client: ReturnType<typeof clientOf>): number | undefined {
  const sent = client.sent().find(({ type }) => type === goaway);
  return sent === undefined ? undefined : Buffer.from(sent.payload).readUInt32BE(4);
}

test('begins with its settings, acknowledges those of the client, and answers pings', () => {
  const client = clientOf();
  assert.deepEqual(
    client.sent().map(({ type, flags }) => [type, flags]),
    [
      [4, 0],
      [windowUpdate, 0],
      [4, 1],
    ],
  );
  client.send(frame(ping, 0, 0, Buffer.from('12345678')));
  assert.deepEqual(client.sent(), [{ type: ping, flags: 1, streamId: 0, payload: Buffer.from('12345678') }]);
});

test('a request in any pieces arrives once, with its body and its end', () => {
  const bytes = Buffer.concat([
    frame(headers, 0, 1, REQUEST.subarray(0, 5)),
    frame(continuation, END_HEADERS, 1, REQUEST.subarray(5)),
    frame(data, 0, 1, Buffer.from('first')),
    frame(data, 8 | END_STREAM, 1, Buffer.from('\u0002last\0\0')),
  ]);
  for (let size = 1; size < 20; size++) {
    const client = clientOf();
    for (let at = 0; at < bytes.length; at += size) client.send(bytes.subarray(at, at + size));
    assert.deepEqual(client.heard, ['request /a.B/C', 'data first', 'data last', 'end']);
  }
});

test('an answer has headers, data and trailers, and the stream is then gone', () => {
  const client = clientOf();
  client.request(1, END_STREAM);
  client.sent();
  const { stream } = client;
  stream.sendHeaders(encodeFields([[':status', '200']]), false);
  assert.ok(stream.sendData(Buffer.from('answer')));
  stream.sendTrailers(encodeFields([['grpc-status', '0']]));
  assert.deepEqual(
    client.sent().map(({ type, flags, streamId }) => [type, flags, streamId]),
    [
      [headers, END_HEADERS, 1],
      [data, 0, 1],
      [headers, END_HEADERS | END_STREAM, 1],
    ],
  );
  assert.equal(client.connection.streams, 0);
  // Nothing more can be sent.
  stream.sendData(Buffer.from('late'));
  stream.reset(errorCodes.cancel);
  assert.deepEqual(client.sent(), []);
});

test('a client that still sends when it has its answer is stopped without an error', () => {
  const client = clientOf();
  client.request(1, 0);
  client.stream.sendHeaders(encodeFields([[':status', '405']]), true);
  const last = client.sent().at(-1);
  assert.deepEqual([last?.type, last?.payload], [rstStream, number(errorCodes.none)]);
  client.send(frame(data, 0, 1, Buffer.from('late')));
  assert.deepEqual(client.heard, ['request /a.B/C']);
});

test('data waits for the windows of stream and connection, in order, and the listener hears when it is sent', () => {
  const client = clientOf([[4, 10]]);
  client.request(1, END_STREAM);
  client.stream.sendHeaders(encodeFields([[':status', '200']]), false);
  client.sent();
  assert.equal(client.stream.sendData(Buffer.from('0123456789ab')), false);
  assert.equal(client.stream.sendData(Buffer.from('cd')), false);
  client.stream.sendTrailers(encodeFields([['grpc-status', '0']]));
  assert.equal(client.sentText(), '0123456789');
  client.send(frame(windowUpdate, 0, 1, number(3)));
  assert.equal(client.sentText(), 'abc');
  assert.ok(!client.heard.includes('drained'));
  client.send(settings([[4, 11]]));
  assert.equal(client.sentText(), 'd');
  assert.equal(client.connection.streams, 0);
});

test('a large answer is cut into frames, and stops at the window of the connection', () => {
  const client = clientOf([[4, 1_000_000]]);
  client.request(1, END_STREAM);
  client.stream.sendHeaders(encodeFields([[':status', '200']]), false);
  client.sent();
  assert.equal(client.stream.sendData(Buffer.alloc(70_000)), false);
  const sizes = client.sent().map(({ payload }) => payload.length);
  assert.deepEqual(sizes, [16_384, 16_384, 16_384, 16_383]);
  client.send(frame(windowUpdate, 0, 0, number(10_000)));
  assert.deepEqual(
    client.sent().map(({ payload }) => payload.length),
    [70_000 - 65_535],
  );
  assert.ok(client.heard.includes('drained'));
});

test('what a client with large windows has not read waits in the stream, and not in the output', () => {
  const client = clientOf([[4, 2 ** 30]]);
  client.send(frame(windowUpdate, 0, 0, number(2 ** 30)));
  client.request(1, END_STREAM);
  client.sent();
  const size = 4 * 1024 * 1024;
  assert.equal(client.stream.sendData(Buffer.alloc(size), true), false);
  const sizes: number[] = [];
  while (client.connection.streams > 0) {
    const { length } = client.connection.takeOutput();
    assert.ok(length > 0 && length < 512 * 1024, `${length}`);
    sizes.push(length);
  }
  assert.ok(sizes.length >= 15);
  assert.deepEqual(client.heard.slice(2), ['drained']);
});

test('while the transport is blocked, data waits', () => {
  const client = clientOf();
  client.request(1, END_STREAM);
  client.connection.block(true);
  assert.equal(client.stream.sendData(Buffer.from('waits')), false);
  client.connection.block(false);
  assert.equal(client.sentText(), 'waits');
  assert.ok(client.heard.includes('drained'));
});

test('a client may send again what the listener has consumed, and no more', () => {
  const client = clientOf();
  client.request(1, 0);
  client.sent();
  const part = frame(data, 0, 1, Buffer.alloc(16_384));
  for (let count = 0; count < 3; count++) client.send(part);
  client.stream.consumed(3 * 16_384);
  const [update] = client.sent();
  assert.deepEqual([update?.type, update?.payload], [windowUpdate, number(3 * 16_384)]);
  for (let count = 0; count < 3; count++) client.send(part);
  assert.equal(client.connection.streams, 1);
  client.send(part);
  const reset = client.sent().find(({ type }) => type === rstStream);
  assert.deepEqual(reset?.payload, number(errorCodes.flowControl));
  assert.ok(client.heard.includes('aborted'));
});

test('a stream ends when the client resets it, or is gone', () => {
  const client = clientOf();
  client.request(1, 0);
  client.request(3, 0);
  client.send(frame(rstStream, 0, 1, number(errorCodes.cancel)));
  assert.deepEqual(client.heard.slice(2), ['aborted']);
  assert.equal([...client.connection.lost()].length, 1);
  assert.deepEqual(client.heard.slice(2), ['aborted', 'aborted']);
});

test('a client that resets many streams is dropped', () => {
  const client = clientOf();
  for (let count = 0; count < 1001; count++) {
    client.request(count * 2 + 1, 0);
    client.send(frame(rstStream, 0, count * 2 + 1, number(errorCodes.cancel)));
  }
  assert.equal(goAwayCode(client), errorCodes.enhanceYourCalm);
});

test('a client whose faults reset many streams is dropped', () => {
  const client = clientOf();
  for (let count = 0; count < 1001; count++) {
    client.request(count * 2 + 1, 0);
    client.send(frame(windowUpdate, 0, count * 2 + 1, number(0)));
  }
  assert.equal(goAwayCode(client), errorCodes.enhanceYourCalm);
});

test('a client that changes its settings all the time is dropped', () => {
  const client = clientOf();
  for (let count = 0; count < 20; count++) client.send(settings([[4, count]]));
  assert.equal(goAwayCode(client), errorCodes.enhanceYourCalm);
});

test('a frame of many settings visits each stream once', () => {
  const client = clientOf();
  client.request(1, END_STREAM);
  let visits = 0;
  const widen = client.stream.widen.bind(client.stream);
  client.stream.widen = (bytes) => {
    visits += 1;
    return widen(bytes);
  };
  client.send(settings(Array.from({ length: 2000 }, (_, value) => [4, value] as const)));
  assert.equal(visits, 1);
});

test('a client that makes room byte by byte costs one stream each time', () => {
  const client = clientOf();
  for (let id = 1; id < 200; id += 2) client.request(id, END_STREAM);
  let flushes = 0;
  for (const stream of client.streams) {
    stream.sendHeaders(encodeFields([[':status', '200']]), false);
    stream.sendData(Buffer.alloc(1000));
    const flush = stream.flush.bind(stream);
    stream.flush = () => {
      flushes += 1;
      return flush();
    };
  }
  for (let count = 0; count < 100; count++) client.send(frame(windowUpdate, 0, 0, number(1)));
  assert.ok(flushes <= 200, String(flushes));
});

test('header fields without end are not collected', () => {
  for (const part of [Buffer.alloc(0), Buffer.alloc(16_384)]) {
    const client = clientOf();
    client.send(frame(headers, 0, 1, REQUEST));
    for (let count = 0; count < 20; count++) client.send(frame(continuation, 0, 1, part));
    assert.equal(goAwayCode(client), errorCodes.enhanceYourCalm);
  }
});

test('a server that leaves lets calls end, and accepts none', () => {
  const client = clientOf();
  client.request(1, END_STREAM);
  client.connection.leave();
  assert.equal(goAwayCode(client), errorCodes.none);
  client.request(3, 0);
  client.send(frame(data, END_STREAM, 3, Buffer.from('not accepted')));
  assert.deepEqual(client.heard, ['request /a.B/C', 'end']);
  client.stream.sendHeaders(encodeFields([[':status', '200']]), true);
  assert.deepEqual(client.heard, ['request /a.B/C', 'end', 'finished']);
});

describe('what breaks the protocol ends the connection', () => {
  const { protocol, frameSize, flowControl, compression } = errorCodes;
  for (const [title, bytes, code] of [
    ['a frame above 16 KiB', Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]), frameSize],
    ['data of a stream that never began', frame(data, 0, 1, Buffer.from('x')), protocol],
    ['data of no stream', frame(data, 0, 0, Buffer.from('x')), protocol],
    ['a stream with an even number', frame(headers, END_HEADERS, 2, REQUEST), protocol],
    ['nothing but padding', frame(headers, END_HEADERS | 8, 1, Buffer.from([200, 0x82])), protocol],
    ['a continuation of nothing', frame(continuation, END_HEADERS, 1, REQUEST), protocol],
    [
      'another frame between header fields',
      Buffer.concat([frame(headers, 0, 1, REQUEST), frame(ping, 0, 0, Buffer.alloc(8))]),
      protocol,
    ],
    ['header fields that are no HPACK', frame(headers, END_HEADERS, 1, Buffer.from([0x80])), compression],
    ['a push', frame(5, END_HEADERS, 1, REQUEST), protocol],
    ['a ping of another size', frame(ping, 0, 0, Buffer.alloc(7)), frameSize],
    ['a window of nothing', frame(windowUpdate, 0, 0, number(0)), protocol],
    ['a window above 2^31 - 1', frame(windowUpdate, 0, 0, number(0x7fff_ffff)), flowControl],
    ['a window of streams above that', settings([[4, 0x8000_0000]]), flowControl],
    ['settings of a wrong size', frame(4, 0, 0, Buffer.alloc(5)), frameSize],
    ['a setting of pushes other than 0 and 1', settings([[2, 2]]), protocol],
    ['a reset of a stream that never began', frame(rstStream, 0, 7, number(8)), protocol],
  ] as const)
    test(title, () => {
      const client = clientOf();
      client.send(bytes);
      assert.equal(goAwayCode(client), code);
      assert.deepEqual(client.heard, ['finished']);
    });

  test('bytes that are not HTTP/2', () => {
    const client = clientOf([], 'GET / HTTP/1.1\r\n\r\n');
    assert.equal(goAwayCode(client), protocol);
  });
});

describe('a malformed request reaches nobody', () => {
  const good = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/a.B/C'],
  ] as const;
  for (const [title, fields] of [
    ['without a path', good.slice(0, 2)],
    ['with a path twice', [...good, good[2]]],
    ['with an unknown pseudo-header field', [...good, [':status', '200']]],
    ['with a pseudo-header field after another', [['a', 'b'], ...good]],
    ['with a name in capitals', [...good, ['Content-Type', 'x']]],
    ['with an empty name', [...good, ['', 'x']]],
    ['with a line end in a value', [...good, ['a', 'b\r\nc']]],
    ['with a field about the connection', [...good, ['connection', 'close']]],
    ['with another TE than trailers', [...good, ['te', 'gzip']]],
    ['with a space after a value', [...good, ['a', 'b ']]],
    ['with a control character in a value', [...good, ['a', 'b\u007f']]],
    ['with a method that is not a token', [[':method', 'G ET'], ...good.slice(1)]],
    ['with a length that is not a number', [...good, ['content-length', '-1']]],
    ['with two lengths', [...good, ['content-length', '1'], ['content-length', '1']]],
  ] as const)
    test(title, () => {
      const client = clientOf();
      client.send(frame(headers, END_HEADERS, 1, encodeFields(fields)));
      const reset = client.sent().find(({ type }) => type === rstStream);
      assert.deepEqual(reset?.payload, number(errorCodes.protocol));
      assert.deepEqual(client.heard, []);
    });
});

test('a body has the length that its request announces', () => {
  const announcing = encodeFields([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/'],
    ['content-length', '3'],
  ]);
  for (const [bodies, heard] of [
    [['abc'], ['data abc', 'end']],
    [
      ['a', 'bc'],
      ['data a', 'data bc', 'end'],
    ],
    [['ab'], ['data ab', 'aborted']],
    [['abcd'], ['aborted']],
  ] as const) {
    const client = clientOf();
    client.send(frame(headers, END_HEADERS, 1, announcing));
    for (const [index, body] of bodies.entries())
      client.send(frame(data, index === bodies.length - 1 ? END_STREAM : 0, 1, Buffer.from(body)));
    assert.deepEqual(client.heard, ['request /', ...heard]);
  }
  const empty = clientOf();
  empty.send(frame(headers, END_HEADERS | END_STREAM, 1, announcing));
  assert.deepEqual(empty.heard, ['request /', 'aborted']);
});

test('a stream that depends on itself is reset', () => {
  const client = clientOf();
  const priority = Buffer.concat([number(1), Buffer.from([15])]);
  client.send(frame(headers, END_HEADERS | 0x20, 1, Buffer.concat([priority, REQUEST])));
  const reset = client.sent().find(({ type }) => type === rstStream);
  assert.deepEqual([reset?.payload, client.heard], [number(errorCodes.protocol), []]);
});

test('a request with more fields than the limit reaches nobody', () => {
  const many = Array.from({ length: 1100 }, (_, index) => [`a${index}`, ''] as const);
  const client = clientOf();
  const block = encodeFields([[':method', 'GET'], [':scheme', 'http'], [':path', '/'], ...many]);
  client.send(frame(headers, END_HEADERS, 1, block));
  const reset = client.sent().find(({ type }) => type === rstStream);
  assert.deepEqual([reset?.payload, client.heard], [number(errorCodes.enhanceYourCalm), []]);
});

test('trailers end a request, and nothing may follow them', () => {
  const client = clientOf();
  const trailers = encodeFields([['checksum', '1']]);
  client.request(1, 0);
  client.send(frame(headers, END_HEADERS | END_STREAM, 1, trailers));
  assert.deepEqual(client.heard, ['request /a.B/C', 'end']);
  client.sent();
  client.send(frame(headers, END_HEADERS | END_STREAM, 1, trailers));
  assert.deepEqual(client.sent().at(-1)?.payload, number(errorCodes.streamClosed));
  client.request(3, 0);
  client.send(frame(headers, END_HEADERS | END_STREAM, 3, REQUEST));
  assert.deepEqual(client.sent().at(-1)?.payload, number(errorCodes.protocol));
  assert.deepEqual(client.heard.slice(2), ['aborted', 'request /a.B/C', 'aborted']);
});

test('repeated fields are joined', () => {
  assert.equal(fieldOf(['a', '1', 'b', '2', 'a', '3'], 'a'), '1, 3');
  assert.equal(fieldOf(['a', '1'], 'c'), undefined);
});

test('random frames are served or end the connection', () => {
  const any = fc.record({
    type: fc.integer({ min: 0, max: 11 }),
    flags: fc.integer({ min: 0, max: 255 }),
    streamId: fc.integer({ min: 0, max: 5 }),
    payload: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(REQUEST)),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 30 }), (frames) => {
      const client = clientOf();
      for (const { type, flags, streamId, payload } of frames)
        client.send(frame(type, flags, streamId, payload));
      for (const _stream of client.connection.lost());
    }),
    { numRuns: 2000 },
  );
});
