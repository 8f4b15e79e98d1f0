import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { encodeFields } from './hpack-encoder.ts';
import { errorCodes } from './index.ts';
import { frame, number, PREFACE, settings } from './testing/raw-client.ts';
import { serverOf } from './testing/raw-server.ts';

const types = { data: 0, headers: 1, rstStream: 3, ping: 6, goaway: 7, windowUpdate: 8, continuation: 9 };
const END_STREAM = 1;
const END_HEADERS = 4;
const OK = encodeFields([
  [':status', '200'],
  ['a', 'b'],
]);
const TRAILERS = encodeFields([['grpc-status', '0']]);

const answer = (block: Uint8Array, flags = 0, id = 1) => frame(types.headers, END_HEADERS | flags, id, block);
const goAway = (last: number) => frame(types.goaway, 0, 0, Buffer.concat([number(last), number(0)]));

test('begins with the preface and settings that forbid pushes, and may ask when the server has sent its own', () => {
  const server = serverOf();
  const begin = Buffer.from(server.connection.takeOutput());
  assert.equal(begin.subarray(0, PREFACE.length).toString(), PREFACE);
  assert.deepEqual([...begin.subarray(PREFACE.length + 9, PREFACE.length + 15)], [0, 2, 0, 0, 0, 0]);
  assert.equal(server.connection.hasPlace, false);
  server.send(settings([]));
  assert.equal(server.connection.hasPlace, true);
  assert.deepEqual(server.heard, ['ready']);
});

test('a request has headers and data, and its answer arrives with data and trailers', () => {
  const server = serverOf([]);
  const stream = server.request(false);
  stream.sendData(Buffer.from('question'), true);
  assert.deepEqual(
    server.sent().map(({ type, flags, streamId }) => [type, flags, streamId]),
    [
      [types.headers, END_HEADERS, 1],
      [types.data, END_STREAM, 1],
    ],
  );
  server.send(answer(OK), frame(types.data, 0, 1, Buffer.from('answer')), answer(TRAILERS, END_STREAM));
  assert.deepEqual(server.heard, ['ready', 'answered 200', 'data answer', 'trailers grpc-status,0', 'end']);
  assert.equal(server.connection.streams, 0);
  assert.deepEqual(server.sent(), []);
});

test('interim answers are not reported', () => {
  const server = serverOf([]);
  server.request();
  server.send(answer(encodeFields([[':status', '103']])), answer(OK, END_STREAM));
  assert.deepEqual(server.heard, ['ready', 'answered 200', 'end']);
});

test('an answer that is complete before the request stops the request', () => {
  const server = serverOf([]);
  const stream = server.request(false);
  server.sent();
  server.send(answer(OK, END_STREAM));
  assert.deepEqual(
    server.sent().map(({ type, payload }) => [type, payload]),
    [[types.rstStream, number(errorCodes.cancel)]],
  );
  stream.sendData(Buffer.from('late'));
  assert.deepEqual(server.sent(), []);
  assert.deepEqual(server.heard, ['ready', 'answered 200', 'end']);
});

test('a request whose answer is complete is not reset by a listener that has heard of the end', () => {
  for (const end of [[answer(OK), answer(TRAILERS, END_STREAM)], [answer(OK, END_STREAM)]]) {
    const server = serverOf([]);
    const stream = server.request();
    server.sent();
    stream.listener.trailers = () => stream.reset(errorCodes.cancel);
    stream.listener.end = () => stream.reset(errorCodes.cancel);
    server.send(...end);
    assert.deepEqual(server.sent(), []);
  }
});

test('the end of a request waits for its data', () => {
  const server = serverOf([[4, 5]]);
  const stream = server.request(false);
  assert.equal(stream.sendData(Buffer.from('0123456789'), true), false);
  assert.equal(stream.unsentBytes, 5);
  server.sent();
  server.send(frame(types.windowUpdate, 0, 1, number(5)));
  const [last] = server.sent();
  assert.deepEqual([last?.flags, last?.payload.toString()], [END_STREAM, '56789']);
  assert.deepEqual(server.heard, ['ready', 'drained']);
});

test('no more requests are open than the server accepts', () => {
  const server = serverOf([[3, 2]]);
  server.request();
  assert.equal(server.connection.hasPlace, true);
  server.request();
  assert.equal(server.connection.hasPlace, false);
  server.send(answer(OK, END_STREAM, 3));
  assert.equal(server.connection.hasPlace, true);
  server.send(settings([[3, 0]]));
  assert.equal(server.connection.hasPlace, false);
});

test('a server that leaves ends the requests it has not handled, and answers the others', () => {
  const server = serverOf([]);
  server.request();
  server.request();
  server.send(goAway(1));
  assert.equal(server.connection.hasPlace, false);
  assert.deepEqual(server.heard, ['ready', `aborted ${errorCodes.refusedStream}`]);
  server.send(answer(OK, END_STREAM));
  assert.deepEqual(server.heard.slice(2), ['finished 0', 'answered 200', 'end']);
});

test('a request ends when the server resets it, or is gone', () => {
  const server = serverOf([]);
  server.request();
  server.request();
  server.send(frame(types.rstStream, 0, 1, number(errorCodes.refusedStream)));
  for (const _ of server.connection.lost());
  assert.deepEqual(server.heard, ['ready', `aborted ${errorCodes.refusedStream}`, 'aborted undefined']);
});

test('a request that is cancelled is reset, and what still arrives of it is ignored', () => {
  const server = serverOf([]);
  const stream = server.request();
  server.sent();
  stream.reset(errorCodes.cancel);
  server.send(answer(OK), frame(types.data, 0, 1, Buffer.from('late')));
  assert.deepEqual(
    server.sent().map(({ type }) => type),
    [types.rstStream],
  );
  assert.deepEqual(server.heard, ['ready']);
});

test('what nobody consumes stops the server, on one stream and on all together', () => {
  const server = serverOf([], { streamWindow: 1024 * 1024, unreadBytesMax: 1024 * 1024 });
  const streams = [server.request(), server.request(), server.request()];
  for (const { id } of streams) server.send(answer(OK, 0, id));
  server.sent();
  const part = Buffer.alloc(16_384);
  let windowUpdates = 0;
  const fill = (id: number): void => {
    for (let count = 0; count < 40; count++) server.send(frame(types.data, 0, id, part));
    windowUpdates += server.sent().filter(({ type }) => type === types.windowUpdate).length;
  };
  // More than half of the window of the connection is used, so the client widens it.
  fill(1);
  assert.equal(windowUpdates, 1);
  fill(3);
  assert.equal(windowUpdates, 1);
  streams[0]!.consumed(40 * part.length);
  assert.deepEqual(
    server.sent().map(({ type, streamId }) => [type, streamId]),
    [
      [types.windowUpdate, 0],
      [types.windowUpdate, 1],
    ],
  );
  // A stream that is reset needs no memory any longer.
  fill(5);
  streams[1]!.reset(errorCodes.cancel);
  assert.ok(server.sent().some(({ type, streamId }) => type === types.windowUpdate && streamId === 0));
});

describe('a malformed answer is an error of its stream', () => {
  const cases: Record<string, readonly Buffer[]> = {
    'without a status': [answer(encodeFields([['a', 'b']]))],
    'with two statuses': [
      answer(
        encodeFields([
          [':status', '200'],
          [':status', '200'],
        ]),
      ),
    ],
    'with a status that is not a number': [answer(encodeFields([[':status', '2xx']]))],
    'with a field of requests': [
      answer(
        encodeFields([
          [':status', '200'],
          [':path', '/'],
        ]),
      ),
    ],
    'with a control character in a value': [
      answer(
        encodeFields([
          [':status', '200'],
          ['a', 'b\u0001'],
        ]),
      ),
    ],
    'with a space before a value': [
      answer(
        encodeFields([
          [':status', '200'],
          ['a', ' b'],
        ]),
      ),
    ],
    'that switches protocols': [answer(encodeFields([[':status', '101']]))],
    'with an interim answer at its end': [answer(encodeFields([[':status', '100']]), END_STREAM)],
    'with data before its header fields': [frame(types.data, 0, 1, Buffer.from('a'))],
    'with trailers that do not end it': [answer(OK), answer(TRAILERS)],
    'with a status in its trailers': [answer(OK), answer(OK, END_STREAM)],
    'with a length that is not a number': [
      answer(
        encodeFields([
          [':status', '200'],
          ['content-length', '1e3'],
        ]),
      ),
    ],
    'longer than announced': [
      answer(
        encodeFields([
          [':status', '200'],
          ['content-length', '1'],
        ]),
      ),
      frame(types.data, 0, 1, Buffer.from('ab')),
    ],
    'shorter than announced': [
      answer(
        encodeFields([
          [':status', '200'],
          ['content-length', '2'],
        ]),
      ),
      frame(types.data, END_STREAM, 1, Buffer.from('a')),
    ],
    'with more fields than the limit': [answer(encodeFields([[':status', '200'], ...manyFields(200)]))],
  };
  for (const [name, frames] of Object.entries(cases))
    test(name, () => {
      const server = serverOf([], { fieldsMax: 128 });
      server.request();
      server.sent();
      server.send(...frames);
      const [reset] = server.sent().filter(({ type }) => type === types.rstStream);
      assert.deepEqual(reset?.payload, number(errorCodes.protocol));
      assert.equal(server.heard.at(-1), `aborted ${errorCodes.protocol}`);
      assert.equal(server.connection.streams, 0);
    });
});

test('the answer to HEAD has no body, whatever length it announces', () => {
  const server = serverOf([]);
  server.request(true, true);
  server.send(
    answer(
      encodeFields([
        [':status', '200'],
        ['content-length', '9'],
      ]),
      END_STREAM,
    ),
  );
  assert.deepEqual(server.heard, ['ready', 'answered 200', 'end']);
});

describe('what breaks the protocol ends the connection', () => {
  const cases: Record<string, Buffer> = {
    'a push': frame(5, END_HEADERS, 1, Buffer.concat([number(2), OK])),
    'an answer to nothing': answer(OK, 0, 3),
    'a stream of the server': answer(OK, 0, 2),
    'a short GOAWAY': frame(types.goaway, 0, 0, number(1)),
    'a continuation of nothing': frame(types.continuation, 0, 1, OK),
    'header fields without end': Buffer.concat([
      frame(types.headers, 0, 1, OK),
      ...Array.from({ length: 20 }, () => frame(types.continuation, 0, 1, Buffer.alloc(0))),
    ]),
    'settings without end': Buffer.concat(Array.from({ length: 30 }, () => settings([]))),
    'a window above 2^31 - 1': frame(types.windowUpdate, 0, 0, number(0x7fff_ffff)),
  };
  for (const [name, bytes] of Object.entries(cases))
    test(name, () => {
      const server = serverOf([]);
      server.request();
      server.sent();
      server.send(bytes);
      assert.ok(server.sent().some(({ type }) => type === types.goaway));
      assert.match(server.heard.at(-1) ?? '', /^finished [1-9]/);
    });
});

test('random frames are answers or end the connection', () => {
  const frames = fc.record({
    type: fc.integer({ min: 0, max: 10 }),
    flags: fc.integer({ min: 0, max: 255 }),
    id: fc.constantFrom(0, 1, 2, 3, 5),
    payload: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(OK, TRAILERS, number(1))),
  });
  fc.assert(
    fc.property(fc.array(frames, { maxLength: 30 }), (all) => {
      const server = serverOf([]);
      server.request();
      server.request(false).sendData(Buffer.from('question'));
      for (const { type, flags, id, payload } of all) server.send(frame(type, flags, id, payload));
      for (const _ of server.connection.lost());
      assert.equal(server.connection.streams, 0);
    }),
  );
});

function manyFields(count: number): readonly (readonly [string, string])[] {
  return Array.from({ length: count }, (_, index) => [`a${index}`, 'b'] as const);
}
