import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datagramAt, type DatagramRun, type UdpAddress } from '@tinkerbell/platform-contract';
import { OutgoingBatch } from './outgoing-batch.ts';

const to = { address: '192.0.2.1', port: 69 };

/** A kernel that rejects the listed messages, whose numbers are counted over all calls. */
function batchOf(refused: readonly number[]) {
  const taken: string[] = [];
  const givenBack: string[] = [];
  let next = 0;
  const takesNext = () => !refused.includes(next);
  const batch = new OutgoingBatch(() => 4096n, {
    one(fd) {
      taken.push(`${fd} one`);
      const isTaken = takesNext();
      next += 1;
      return isTaken ? 1 : -1;
    },
    many(fd, _messages, count) {
      taken.push(`${fd} ${count}`);
      let done = 0;
      while (done < count && takesNext()) {
        done += 1;
        next += 1;
      }
      if (done === 0) next += 1;
      return done === 0 ? -1 : done;
    },
  });
  const unsent = (run: DatagramRun, address: UdpAddress) =>
    givenBack.push(`${Buffer.from(datagramAt(run, run.count - 1)).toString('latin1')} ${address.port}`);
  const add = (head: Uint8Array, fd = 3) => {
    const body = Buffer.from('..body', 'latin1');
    return batch.add(fd, {
      run: { count: 1, heads: head, headBytes: head.length, body, offset: 2, length: 4, pieceBytes: 4 },
      to,
      unsent,
    });
  };
  return { batch, add, taken, givenBack };
}

test('messages that the kernel rejects are returned unchanged, although their heads were overwritten', () => {
  const { batch, add, givenBack } = batchOf([1, 6]);
  const head = new Uint8Array(2);
  for (let index = 0; index < 8; index += 1) {
    head.set([65 + index, 58]);
    add(head);
  }
  batch.flush();
  assert.deepEqual(givenBack, ['B:body 69', 'G:body 69']);
});

test('few messages are sent one by one and many in one call, and another socket or a full queue flushes', () => {
  const { batch, add, taken } = batchOf([]);
  add(Uint8Array.of(1), 3);
  add(Uint8Array.of(1), 4);
  batch.flush();
  assert.deepEqual(taken, ['3 one', '4 one']);
  taken.length = 0;
  for (let index = 0; index < 130; index += 1) add(Uint8Array.of(1));
  batch.flush();
  batch.flush();
  assert.deepEqual(taken, ['3 64', '3 64', '3 one', '3 one']);
  assert.equal(add(new Uint8Array(2_000_000)), false, 'never has room');
});
