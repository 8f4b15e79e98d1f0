import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bytesToHex } from '@tinkerbell/wire';
import {
  DATA_HEAD_BYTES,
  decodeTftp,
  defaultTransferLimits,
  startReadTransfer,
  stepReadTransfer,
  writeDataHeads,
  type TftpOptions,
  type TftpPacket,
  type TransferSend,
  type TransferStep,
} from './index.ts';

const start = (fileBytes: number, options: TftpOptions = []) => startReadTransfer({ fileBytes, options });
const acknowledge = (step: TransferStep, block: number) =>
  stepReadTransfer(step.transfer, { kind: 'packet', packet: { kind: 'acknowledge', block } });
const timeout = (step: TransferStep) => stepReadTransfer(step.transfer, { kind: 'timeout' });
const blocks = (step: TransferStep) =>
  step.sends.flatMap<number | string>((send) =>
    send.kind === 'data'
      ? Array.from({ length: send.count }, (_, index) => (send.block + index) & 0xffff)
      : [send.kind],
  );
const oack = (options: TftpOptions) => start(10_000, options).sends;

test('without options, blocks of 512 bytes are sent one by one, the last one short', () => {
  const first = start(600);
  assert.deepEqual(first.sends, [{ kind: 'data', block: 1, count: 1, offset: 0, length: 512 }]);
  assert.equal(first.timeoutMs, 1_000);
  const second = acknowledge(first, 1);
  assert.deepEqual(second.sends, [{ kind: 'data', block: 2, count: 1, offset: 512, length: 88 }]);
  assert.deepEqual(acknowledge(second, 2).outcome, { kind: 'completed' });
});

test('a file of whole blocks, and an empty file, end with an empty block', () => {
  assert.deepEqual(acknowledge(start(512), 1).sends, [
    { kind: 'data', block: 2, count: 1, offset: 512, length: 0 },
  ]);
  assert.deepEqual(start(0).sends, [{ kind: 'data', block: 1, count: 1, offset: 0, length: 0 }]);
});

test('options are answered with at most what was requested and at most what the server allows', () => {
  const answer = (options: TftpOptions) => [{ kind: 'option-acknowledge', options }];
  assert.deepEqual(
    oack([
      ['blksize', '1432'],
      ['tsize', '0'],
    ]),
    answer([
      ['blksize', '1432'],
      ['tsize', '10000'],
    ]),
  );
  assert.deepEqual(oack([['blksize', '65464']]), answer([['blksize', '1468']]));
  assert.deepEqual(
    oack([
      ['windowsize', '65535'],
      ['timeout', '7'],
    ]),
    answer([
      ['windowsize', '16'],
      ['timeout', '7'],
    ]),
  );
  assert.deepEqual(
    oack([
      ['multicast', ''],
      ['tsize', '5'],
    ]),
    answer([['tsize', '10000']]),
  );
});

test('options that are unknown or out of range are ignored, and then there is no OACK', () => {
  const bad = [
    '-1',
    '0x200',
    ' 512',
    '512 ',
    '512abc',
    '',
    '７',
    '1e3',
    '99999999999999999999',
    '7',
    '65465',
  ];
  for (const value of bad) assert.equal(oack([['blksize', value]])[0]?.kind, 'data', value);
  for (const value of ['0', '256', '-1']) assert.equal(oack([['timeout', value]])[0]?.kind, 'data', value);
  for (const value of ['0', '65536']) assert.equal(oack([['windowsize', value]])[0]?.kind, 'data', value);
  assert.equal(oack([['constructor', '1']])[0]?.kind, 'data');
});

test('the size of an empty file is omitted, because curl treats it as an error', () => {
  const options = [
    ['tsize', '0'],
    ['blksize', '1024'],
  ] as const;
  assert.deepEqual(start(0, options).sends, [{ kind: 'option-acknowledge', options: [['blksize', '1024']] }]);
});

test('a duplicated option is refused with ERROR 8', () => {
  const step = start(10, [
    ['blksize', '512'],
    ['blksize', '1024'],
  ]);
  assert.deepEqual(step.sends, [{ kind: 'error', code: 8, message: 'option blksize is duplicated' }]);
  assert.equal(step.outcome?.kind, 'failed');
});

test('data starts when the OACK is acknowledged with block 0, and with nothing else', () => {
  const first = start(10, [['tsize', '0']]);
  assert.deepEqual(acknowledge(first, 1).sends, []);
  assert.deepEqual(blocks(acknowledge(first, 0)), [1]);
});

test('a duplicate acknowledgement sends nothing and does not change the timer', () => {
  const second = acknowledge(start(2_000), 1);
  const again = acknowledge(second, 1);
  assert.deepEqual(again, { transfer: second.transfer, sends: [] });
});

test('acknowledgements of blocks that were never sent are ignored', () => {
  for (const block of [0, 2, 3, 40_000, 65_535])
    assert.deepEqual(acknowledge(start(2_000), block).sends, [], `${block}`);
});

test('a window is sent whole, and continues after the acknowledged block', () => {
  const first = acknowledge(start(512 * 9, [['windowsize', '4']]), 0);
  assert.deepEqual(blocks(first), [1, 2, 3, 4]);
  assert.deepEqual(blocks(acknowledge(first, 4)), [5, 6, 7, 8]);
  const afterLoss = acknowledge(first, 2);
  assert.deepEqual(blocks(afterLoss), [3, 4, 5, 6]);
  assert.deepEqual(blocks(timeout(afterLoss)), [3, 4, 5, 6]);
  assert.deepEqual(blocks(acknowledge(acknowledge(first, 4), 8)), [9, 10]);
});

test('a timeout sends the same again, waits longer, and finally aborts', () => {
  let step = acknowledge(start(600), 1);
  const waits: (number | undefined)[] = [];
  for (let retry = 0; retry < defaultTransferLimits.retriesMax; retry++) {
    step = timeout(step);
    assert.deepEqual(blocks(step), [2]);
    waits.push(step.timeoutMs);
  }
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 10_000, 10_000]);
  step = timeout(step);
  assert.deepEqual(step.sends, []);
  assert.deepEqual(step.outcome, {
    kind: 'failed',
    reason: 'timed-out',
    detail: 'block 2 of 2 was not acknowledged',
  });
});

test('until the client has answered, one packet is sent three times at most', () => {
  for (const options of [[], [['tsize', '0']]] as const) {
    let step = start(100_000, options);
    let packets = 0;
    while (step.outcome === undefined) {
      packets += step.sends.reduce((sum, send) => sum + (send.kind === 'data' ? send.count : 1), 0);
      step = timeout(step);
    }
    assert.equal(packets, 3);
    assert.equal(step.outcome.kind === 'failed' && step.outcome.reason, 'timed-out');
  }
});

test('progress resets earlier timeouts, and a requested timeout is kept exactly', () => {
  assert.equal(acknowledge(timeout(timeout(start(2_000))), 1).timeoutMs, 1_000);
  const fixed = start(10, [['timeout', '3']]);
  assert.equal(timeout(timeout(fixed)).timeoutMs, 3_000);
});

test('an ERROR ends the transfer without an answer, and nothing follows it', () => {
  const first = start(10, [['tsize', '0']]);
  const aborted = stepReadTransfer(first.transfer, {
    kind: 'packet',
    packet: { kind: 'error', code: 8, message: 'user aborted' },
  });
  assert.deepEqual(aborted.outcome, { kind: 'failed', reason: 'client-aborted', detail: '8 user aborted' });
  assert.deepEqual(aborted.sends, []);
  assert.deepEqual(acknowledge(aborted, 0).sends, []);
  assert.deepEqual(timeout(aborted).sends, []);
});

test('a repeated request changes nothing, and DATA from the reader is an illegal operation', () => {
  const first = start(10);
  const request = { kind: 'read-request', fileName: 'x', mode: 'octet', options: [] } as const;
  assert.deepEqual(stepReadTransfer(first.transfer, { kind: 'packet', packet: request }).sends, []);
  const data = { kind: 'data', block: 1, bytes: new Uint8Array() } as const;
  const step = stepReadTransfer(first.transfer, { kind: 'packet', packet: data });
  assert.deepEqual(
    step.sends.map((send: TransferSend) => send.kind === 'error' && send.code),
    [4],
  );
});

test('block numbers roll over to 0 after 65535', () => {
  const fileBytes = 65_537 * 512;
  let step = start(fileBytes);
  let bytes = 0;
  let count = 0;
  const around: number[] = [];
  while (step.outcome === undefined) {
    const send = step.sends[0];
    assert.ok(send?.kind === 'data');
    assert.equal(send.offset, bytes);
    bytes += send.length;
    count += 1;
    if (count >= 65_535) around.push(send.block);
    step = acknowledge(step, send.block);
  }
  assert.equal(bytes, fileBytes);
  assert.deepEqual(around, [65_535, 0, 1, 2]);
});

test('with lost, repeated or late packets, a client that continues gets the file or a timeout', () => {
  const fates = fc.array(fc.constantFrom('deliver', 'lose', 'duplicate'), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(
      fc.nat({ max: 9_000 }),
      fc.constantFrom('1', '3', '8'),
      fates,
      (fileBytes, windowsize, fates) => {
        let step = startReadTransfer({ fileBytes, options: [['windowsize', windowsize]] });
        let expected = 0; // the client: next block it wants
        let received = 0;
        for (let turn = 0; step.outcome === undefined; turn++) {
          assert.ok(turn < 2_000, 'ends');
          const fate = turn < fates.length ? fates[turn] : 'deliver';
          const acknowledgements: number[] = [];
          const packets = packetsOf(step);
          for (const packet of fate === 'lose' ? packets.slice(1) : packets) {
            if (packet.kind === 'option-acknowledge' && expected === 0) expected = 1;
            if (packet.kind === 'data' && packet.block === expected) {
              received += packet.bytes.length;
              expected += 1;
            }
            acknowledgements.push(expected - 1);
          }
          const last = acknowledgements.at(-1);
          if (last === undefined || last < 0) {
            step = timeout(step);
            continue;
          }
          const before = step;
          step = acknowledge(before, last);
          if (fate === 'duplicate' && step.outcome === undefined)
            assert.deepEqual(acknowledge(step, last).sends, []);
          if (step.sends.length === 0 && step.outcome === undefined) step = timeout(step);
        }
        if (step.outcome.kind === 'completed') assert.equal(received, fileBytes);
        else assert.equal(step.outcome.reason, 'timed-out');
      },
    ),
  );
});

/**
 * The packets as sent: each block after the header that `writeDataHeads` writes for it, decoded one by one.
 */
function packetsOf({ sends, transfer }: TransferStep): TftpPacket[] {
  const { blockSizeBytes } = transfer.settings;
  return sends.flatMap((send): TftpPacket[] => {
    if (send.kind !== 'data') return [send];
    const heads = new Uint8Array(send.count * DATA_HEAD_BYTES);
    writeDataHeads(heads, send);
    return Array.from({ length: send.count }, (_, index) => {
      const length = Math.min(blockSizeBytes, send.length - index * blockSizeBytes);
      const head = heads.subarray(index * DATA_HEAD_BYTES, (index + 1) * DATA_HEAD_BYTES);
      const decoded = decodeTftp(Uint8Array.of(...head, ...new Uint8Array(length)));
      assert.ok(decoded.ok);
      return decoded.value;
    });
  });
}

test('headers of a run continue past the last number of 16 bits, over any earlier bytes', () => {
  const target = new Uint8Array(16).fill(0xee);
  writeDataHeads(target, { block: 65_535, count: 3 });
  assert.equal(bytesToHex(target), '0003ffff0003000000030001eeeeeeee');
});
