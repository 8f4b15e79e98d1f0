import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datagramAt, type Clock, type DatagramRun } from '@tinkerbell/platform-contract';
import {
  DATA_HEAD_BYTES,
  defaultTransferLimits,
  startReadTransfer,
  stepReadTransfer,
  writeDataHeads,
  type TftpOptions,
  type TransferStep,
} from '@tinkerbell/tftp';
import fc from 'fast-check';
import { RunningTransfer } from './transfer.ts';

const clock: Clock = { nowMs: () => 0, monotonicMs: () => 0, schedule: () => () => {} };
const peer = { address: '192.0.2.1', port: 2000 };
const file = Uint8Array.from({ length: 20_000 }, (_, index) => index % 251);
const limits = { ...defaultTransferLimits, blockSizeBytesMax: 1468 };
const options = (windowSize: number): TftpOptions => [
  ['blksize', '512'],
  ['windowsize', `${windowSize}`],
];

/** The packets sent to one client, copied when they were sent. The file is in memory, or read on demand. */
function running(windowSize: number, isWhole: boolean, ends: string[]) {
  const sent: string[] = [];
  const slice = (offset: number, length: number) => file.slice(offset, offset + length);
  const transfer = new RunningTransfer({
    file: { sizeBytes: file.length, slice, ...(isWhole ? { whole: file } : {}) },
    options: options(windowSize),
    peer,
    limits,
    clock,
    onMoved: () => {},
    socket: {
      send: () => {},
      sendRun(run: DatagramRun) {
        for (let index = 0; index < run.count; index += 1)
          sent.push(Buffer.from(datagramAt(run, index)).toString('hex'));
      },
    },
    onEnd: ({ outcome, bytes }) => ends.push(`${outcome.kind} ${bytes}`),
  });
  return { transfer, sent };
}

/** The packets of the pure machine, each encoded separately. */
function reference(windowSize: number) {
  const sent: string[] = [];
  let step = startReadTransfer({ options: options(windowSize), fileBytes: file.length }, limits);
  const perform = (next: TransferStep): void => {
    step = next;
    for (const send of next.sends) {
      if (send.kind !== 'data') continue;
      const { blockSizeBytes } = next.transfer.settings;
      for (let index = 0; index < send.count; index += 1) {
        const bytes = file.subarray(send.offset, send.offset + send.length);
        const piece = bytes.subarray(index * blockSizeBytes, (index + 1) * blockSizeBytes);
        const head = new Uint8Array(DATA_HEAD_BYTES);
        writeDataHeads(head, { block: send.block + index, count: 1 });
        sent.push(Buffer.concat([head, piece]).toString('hex'));
      }
    }
  };
  return {
    sent,
    acknowledge: (block: number) =>
      perform(stepReadTransfer(step.transfer, { kind: 'packet', packet: { kind: 'acknowledge', block } })),
    get transfer() {
      return step.transfer;
    },
  };
}

test('for acknowledgements in any order, alone or beside another transfer, the packets are those of the pure machine', () => {
  const event = fc.record({
    of: fc.integer({ min: 0, max: 1 }),
    // Mostly the whole window. Otherwise a part of it, the previous one again, or nonsense.
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant('all' as const) },
      { weight: 1, arbitrary: fc.constantFrom('part', 'again', 'nonsense') },
    ),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(event, { maxLength: 80 }), (windowSize, events) => {
      const ends: string[] = [];
      const pairs = [true, false].map((isWhole) => ({
        ours: running(windowSize, isWhole, ends),
        pure: reference(windowSize),
      }));
      for (const { ours } of pairs) ours.sent.length = 0;
      for (const { of, kind } of events) {
        const { ours, pure } = pairs[of]!;
        const { acknowledged, sent, phase } = pure.transfer;
        const blocks = { all: sent, part: acknowledged + 1, again: acknowledged, nonsense: sent + 7 };
        const block = phase === 'options' ? 0 : blocks[kind] & 0xffff;
        pure.acknowledge(block);
        ours.transfer.onPacket({ kind: 'acknowledge', block });
        assert.deepEqual(ours.sent, pure.sent);
      }
      const over = pairs.filter(({ pure }) => pure.transfer.phase === 'over').length;
      assert.deepEqual(
        ends,
        Array.from({ length: over }, () => `completed ${file.length}`),
      );
    }),
    { numRuns: 300 },
  );
});

test('a transfer that takes long reports its progress every ten seconds, and none while it stands still', () => {
  let nowMs = 0;
  const moved: number[] = [];
  const slow = new RunningTransfer({
    file: { sizeBytes: file.length, whole: file, slice: () => file },
    options: [],
    peer,
    limits,
    clock: { ...clock, monotonicMs: () => nowMs },
    socket: { send: () => {}, sendRun: () => {} },
    onMoved: ({ bytes, milliseconds, fileBytes }) => moved.push(bytes, milliseconds, fileBytes),
    onEnd: () => {},
  });
  const acknowledge = (block: number, atMs: number): void => {
    nowMs = atMs;
    slow.onPacket({ kind: 'acknowledge', block });
  };
  acknowledge(1, 9_000);
  acknowledge(2, 11_000);
  acknowledge(2, 25_000);
  acknowledge(3, 20_000);
  acknowledge(4, 30_000);
  assert.deepEqual(moved, [1024, 11_000, 20_000, 2048, 30_000, 20_000]);
});
