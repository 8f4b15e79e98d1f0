import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { peerOf } from '@tinkerbell/platform-contract';
import type { DatagramCalls } from './datagram-calls.ts';
import type { ReadySockets } from './ready-sockets.ts';
import { WaitingDatagrams } from './waiting-datagrams.ts';

const to = peerOf('192.0.2.1', 1);

function datagramOf(number: number) {
  return { bytes: Uint8Array.of(number), peer: to, networkInterface: undefined };
}

function outgoing(bytes: Uint8Array) {
  const run = {
    count: 1,
    heads: bytes,
    headBytes: bytes.length,
    body: bytes,
    offset: 0,
    length: 0,
    pieceBytes: 0,
  };
  return { run, to, unsent: () => {} };
}

/**
 * Sockets by descriptor, each with its waiting datagrams, as numbers. Answering one takes 0.1 ms, and polling
 * 0.01 ms.
 */
function waitingOn(sockets: Readonly<Record<number, number[]>>, isLockStep = false) {
  const taken: string[] = [];
  let nowMs = 1;
  let looks = 0;
  let found: number[] = [];
  const ready: ReadySockets = {
    watch: () => {},
    forget: () => {},
    look() {
      looks += 1;
      nowMs += 0.01;
      found = Object.keys(sockets)
        .map(Number)
        .filter((fd) => (sockets[fd] ?? []).length > 0);
      return found.length;
    },
    fdAt: (index) => found[index] ?? -1,
  };
  const sent: string[] = [];
  let pauses = 0;
  const calls: DatagramCalls = {
    send: (_fd, { run }) => sent.push(`${run.heads[0]}`) > 0,
    sendLater: (_fd, { run }) => sent.push(`later ${run.heads[0]}`) > 0,
    // Does nothing when nothing waits.
    flush: () => void (sent.at(-1)?.startsWith('later') === true && sent.push('flush')),
    receive(fd) {
      const number = sockets[fd]?.shift();
      return number === undefined ? undefined : datagramOf(number);
    },
    receiveMany(fd, take) {
      const some = sockets[fd]?.splice(0, 32) ?? [];
      for (const number of some) take(datagramOf(number));
      return some.length;
    },
    pause(microseconds) {
      pauses += 1;
      nowMs += microseconds / 1000;
    },
  };
  const waiting = new WaitingDatagrams(calls, ready, () => nowMs);
  for (const fd of Object.keys(sockets).map(Number)) {
    const receiver = ({ bytes }: { bytes: Uint8Array }) => {
      nowMs += 0.1;
      taken.push(`${fd}:${bytes[0]}`);
      waiting.send(fd, outgoing(bytes));
    };
    waiting.add(fd, { receiver, isLockStep });
  }
  const pass = (ms: number) => void (nowMs += ms);
  return { waiting, taken, sent, pass, looks: () => looks, pauses: () => pauses };
}

test('reads the sockets in turn, and where more waits reads all of it and sends the answers in one call', () => {
  const { waiting, taken, sent } = waitingOn({ 3: [1, 2, 3, 4], 4: [1] });
  waiting.take(3);
  assert.deepEqual(taken, ['3:1', '4:1', '3:2', '3:3', '3:4']);
  assert.deepEqual(sent, ['1', '1', '2', 'later 3', 'later 4', 'flush']);
});

test('sends queued answers before anything is sent by other means', () => {
  const { waiting, sent } = waitingOn({ 3: [1, 2, 3] });
  waiting.sendWaiting();
  assert.equal(sent.length, 0, 'nothing waits');
  waiting.add(3, {
    receiver({ bytes }) {
      waiting.send(3, outgoing(bytes));
      waiting.sendWaiting();
      sent.push(`frame ${bytes[0]}`);
    },
    isLockStep: false,
  });
  waiting.take(3);
  assert.deepEqual(sent, ['1', 'frame 1', 'later 2', 'flush', 'frame 2', 'later 3', 'flush', 'frame 3']);
});

test('a flood yields to the event loop after 2 ms', async () => {
  const { waiting, taken } = waitingOn({ 3: Array.from({ length: 600 }, () => 7) });
  waiting.take(3);
  assert.ok(taken.length >= 19 && taken.length < 19 + 32, `${taken.length} taken`);
  const first = taken.length;
  waiting.take(3);
  assert.equal(taken.length, first, 'not before the event loop completed a round');
});

test('datagrams that wait at the end of a turn are kept for the next one, which begins with them', async () => {
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const sockets = { 3: [...numbers] };
  const { waiting, taken, sent } = waitingOn(sockets);
  waiting.take(3);
  assert.deepEqual(sockets[3], [], 'the event loop has none to deliver');
  const first = taken.length;
  assert.ok(first < numbers.length, `${first} taken`);
  const sentBefore = sent.length;
  await setImmediate();
  assert.deepEqual(
    taken,
    numbers.map((number) => `3:${number}`),
  );
  assert.equal(sent.slice(sentBefore).filter((what) => what === 'flush').length, 1, 'sent together');
});

test('a flood that was kept is also delivered in turns of 2 ms', async () => {
  const numbers = Array.from({ length: 600 }, (_, index) => index % 256);
  const sockets = { 3: [...numbers] };
  const { waiting, taken } = waitingOn(sockets);
  waiting.take(3);
  for (let turns = 0; taken.length < numbers.length; turns += 1) {
    const before = taken.length;
    await setImmediate();
    const count = taken.length - before;
    assert.ok(turns < 100 && count <= 20 + 32, `${count} taken in turn ${turns}`);
  }
  assert.deepEqual(
    taken,
    numbers.map((number) => `3:${number}`),
  );
});

test('keeps no more than a few turns can handle, and leaves the rest in the kernel', async () => {
  const sockets = { 3: Array.from({ length: 3000 }, () => 7) };
  const { waiting, taken } = waitingOn(sockets);
  waiting.take(3);
  assert.ok(sockets[3].length > 3000 - 1024 - 20 - 32, `${sockets[3].length} wait`);
  while (taken.length < 3000) await setImmediate();
  assert.ok(taken.every((one) => one === '3:7'));
});

test('waits briefly for the answer of a peer that answers at once', () => {
  for (const isLockStep of [true, false]) {
    const { waiting, taken, looks } = waitingOn({ 3: [1] }, isLockStep);
    waiting.take(3);
    assert.deepEqual(taken, ['3:1']);
    assert.equal(looks() > 2, isLockStep, `${looks()} looks`);
  }
});

test('a socket that is read without polling the others delays them by 96 datagrams at most', () => {
  const sockets: Record<number, number[]> = { 3: Array.from({ length: 40 }, () => 1), 4: [] };
  const { waiting, taken } = waitingOn(sockets);
  waiting.add(3, {
    receiver() {
      taken.push('3');
      // This flood never ends, and something arrives on the other socket in the middle of it.
      sockets[3]?.push(1);
      if (taken.length === 20) sockets[4]?.push(9);
    },
    isLockStep: true,
  });
  waiting.add(4, {
    receiver: ({ bytes }) => assert.fail(`${bytes[0]} after ${taken.length}`),
    isLockStep: false,
  });
  assert.throws(() => waiting.take(3), /9 after/);
  assert.ok(taken.length <= 20 + 96, `${taken.length} before the other`);
});

test('at a high rate, waits for several datagrams of a socket that coalesces, and gives up after one pause in vain', async () => {
  for (const coalesces of [true, false]) {
    const sockets: Record<number, number[]> = { 3: [] };
    const { waiting, taken, sent, pass, pauses } = waitingOn(sockets);
    const receiver = ({ bytes }: { bytes: Uint8Array }) => {
      pass(0.05);
      taken.push(`${bytes[0]}`);
      waiting.send(3, outgoing(bytes));
    };
    waiting.add(3, { receiver, isLockStep: false, coalesces });
    for (let turn = 0; turn < 60; turn += 1) {
      sockets[3]?.push(...Array.from({ length: 20 }, () => 7));
      waiting.take(3);
      await setImmediate();
    }
    assert.equal(taken.length, 60 * 20);
    assert.equal(pauses() > 0, coalesces, `${pauses()} pauses`);
    const before = pauses();
    waiting.take(3);
    assert.ok(pauses() <= before + 1, 'nothing came');
    assert.ok(sent.includes('flush'));
  }
});

test('sends queued answers before a socket is removed, because its descriptor may be reused', () => {
  const { waiting, sent } = waitingOn({ 3: [1, 2] });
  waiting.add(3, {
    receiver({ bytes }) {
      waiting.send(3, outgoing(bytes));
      if (bytes[0] === 2) waiting.remove(3);
      sent.push(`after ${bytes[0]}`);
    },
    isLockStep: false,
  });
  waiting.take(3);
  assert.deepEqual(sent, ['1', 'after 1', 'later 2', 'flush', 'after 2']);
});

test('never reads a removed socket', () => {
  const sockets: Record<number, number[]> = { 3: [1] };
  const { waiting, taken } = waitingOn(sockets, true);
  waiting.take(3);
  waiting.remove(3);
  sockets[3]?.push(2);
  waiting.take(4);
  assert.deepEqual(taken, ['3:1']);
});

test('polls less often when nothing was found, and at once again when something was', () => {
  const sockets: Record<number, number[]> = { 3: [] };
  const { waiting, taken, looks } = waitingOn(sockets);
  const lookedIn = (calls: number) => {
    let times = 0;
    for (let call = 0; call < calls; call += 1) {
      const before = looks();
      waiting.take(3);
      if (looks() > before) times += 1;
    }
    return times;
  };
  const inVain = lookedIn(170);
  assert.ok(inVain >= 10 && inVain <= 16, `polled in ${inVain} of 170 calls`);
  sockets[3]?.push(9);
  while (taken.length === 0) waiting.take(3);
  assert.equal(lookedIn(1), 1);
});

test('does not read a removed socket, and a receiver that throws loses only its own datagram', () => {
  const { waiting, taken } = waitingOn({ 3: [1, 2], 4: [1] });
  waiting.remove(4);
  const receiver = ({ bytes }: { bytes: Uint8Array }) => {
    if (bytes[0] === 1) throw new Error('broken');
    taken.push(`3:${bytes[0]}`);
  };
  waiting.add(3, { receiver, isLockStep: false });
  assert.throws(() => waiting.take(3), /broken/);
  waiting.take(3);
  assert.deepEqual(taken, ['3:2']);
});
