import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mac } from '@tinkerbell/wire';
import { packet, UEFI } from '../../testing/packets.ts';
import { RepeatedAnswers } from './repeated-answers.ts';

const MAC = mac('02:00:5e:10:00:01');
const facts = {
  destination: { kind: 'relay', address: '192.0.2.1', port: 67 },
  requestType: 1,
  replyType: 2,
  file: undefined,
  binaries: [],
} as const;
const again = (bytes: Uint8Array) => bytes.with(7, 0x77).with(9, 3);

test('an answer is repeated with the new transaction id', () => {
  const answers = new RepeatedAnswers();
  const [request, reply] = [packet(UEFI), packet({ messageType: 2 }, { op: 'reply', bootFile: 'a' })];
  answers.keep(request, reply, facts);
  const found = answers.find(again(request));
  assert.ok(found !== undefined);
  assert.deepEqual(answers.bytesFor(again(request), found), reply.with(7, 0x77));
});

test('any other difference is another request', () => {
  const answers = new RepeatedAnswers();
  for (const request of [packet(UEFI), packet(UEFI, { bootFile: 'a' })]) {
    answers.keep(request, request, facts);
    const same = request
      .keys()
      .filter((at) => answers.find(request.with(at, request[at] === 1 ? 2 : 1)) !== undefined);
    assert.deepEqual([...same], [4, 5, 6, 7, 8, 9]);
    assert.equal(answers.find(request.subarray(0, -1)), undefined);
    assert.equal(answers.find(Uint8Array.of(...request, 0)), undefined);
  }
});

test('DISCOVER and REQUEST of a machine are kept beside each other, and forgotten together', () => {
  const answers = new RepeatedAnswers();
  const requests = [packet({ messageType: 1 }), packet({ messageType: 3 })];
  const found = () => requests.map((request) => answers.find(request) !== undefined);
  for (const request of requests) answers.keep(request, request, facts);
  assert.deepEqual(found(), [true, true]);
  answers.forget(MAC);
  assert.deepEqual(found(), [false, false]);
});

test('the newest answers are right when the memory was filled several times', () => {
  const answers = new RepeatedAnswers();
  const request = (index: number) => {
    const bytes = packet({ messageType: 1, hostName: 'x'.repeat(200) }, { bootFile: `file-${index}` });
    bytes.set([index >> 8, index & 255], 32);
    return bytes;
  };
  const count = 60_000;
  let kept = 0;
  for (let index = 0; index < count; index += 1) {
    const bytes = request(index);
    answers.keep(bytes, bytes, facts);
  }
  for (let index = 0; index < count; index += 1) {
    const bytes = request(index);
    const found = answers.find(bytes);
    if (found === undefined) continue;
    kept += 1;
    assert.deepEqual(answers.bytesFor(bytes, found), bytes);
  }
  assert.ok(kept > 1_000, `${kept} were kept`);
});

test('a machine whose requests change displaces no other answers', () => {
  const answers = new RepeatedAnswers();
  const [other, changing] = [packet(UEFI), packet({ messageType: 3, hostName: 'x'.repeat(60) })];
  answers.keep(other, other, facts);
  for (let index = 0; index < 100_000; index += 1) {
    changing.set([index >> 16, (index >> 8) & 255, index & 255], changing.length - 100);
    answers.keep(changing, changing, facts);
  }
  for (const request of [other, changing]) {
    const found = answers.find(request);
    assert.ok(found !== undefined);
    assert.deepEqual(answers.bytesFor(request, found), request);
  }
  answers.forget(MAC);
  answers.keep(changing, other, facts);
  const found = answers.find(changing);
  assert.ok(found !== undefined);
  assert.deepEqual(
    answers.bytesFor(changing, found),
    other.with(4, changing[4]!).with(5, changing[5]!).with(6, changing[6]!).with(7, changing[7]!),
  );
});
