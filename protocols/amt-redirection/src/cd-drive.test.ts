import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cdAnswerTo, senseAfter, type CdAnswer } from './cd-drive.ts';
import { NO_SENSE } from './ider-messages.ts';

const BLOCKS = 1000;

function answerTo(hex: string, last = NO_SENSE): CdAnswer {
  const packet = new Uint8Array(12);
  packet.set(Uint8Array.fromHex(hex));
  return cdAnswerTo(packet, { blocks: BLOCKS, last });
}

/** The data of an answer in hex, or what else it is. */
function dataOf(hex: string): string {
  const answer = answerTo(hex);
  return answer.kind === 'data' ? answer.bytes.toHex() : answer.kind;
}

function senseOf(hex: string): string {
  const { key, code, qualifier } = senseAfter(answerTo(hex));
  return [key, code, qualifier].map((one) => one.toString(16)).join('/');
}

test('the drive and its disc describe themselves', () => {
  assert.equal(dataOf('00'), 'done');
  assert.equal(dataOf('1b0000000200'), 'done');
  assert.equal(dataOf('1e0000000100'), 'done');
  // The last block is 999, and a block has 2,048 bytes.
  assert.equal(dataOf('25'), '000003e700000800');
  assert.equal(dataOf('120000002400').slice(0, 16), '058000021f000000');
  assert.equal(dataOf('1200000024').length, 72);
  assert.equal(Buffer.from(dataOf('1200000024').slice(16), 'hex').toString(), 'TinkrbelVirtual CD      1   ');
  assert.equal(dataOf('51000000000000ffff').slice(0, 16), '00200e0101010120');
});

test('the table of contents has one data track, in blocks and in time', () => {
  assert.equal(dataOf('430000000000000324'), '0012010100140100000000000014aa00000003e8');
  // 150 frames are 2 seconds. 1,150 frames are 15 seconds and 25 frames.
  assert.equal(dataOf('430200000000000324'), '0012010100140100000002000014aa0000000f19');
  assert.equal(dataOf('430001000000000324'), '000a01010014010000000000');
  assert.equal(dataOf('43000000000000000440'), '000a0101', 'the old place of the format');
  assert.equal(senseOf('430005000000000324'), '5/24/0');
});

test('modes, features and events are those of a read-only CD', () => {
  assert.equal(dataOf('5a0001000000000100'), '000e0180000000000106000000000000');
  assert.equal(dataOf('5a003f000000000100').length / 2, 8 + 8 + 26);
  assert.equal(dataOf('1a0001000400'), '0b018000');
  assert.equal(senseOf('5a0008000000000100'), '5/24/0');
  assert.equal(dataOf('460200100000000100'), '0000001000000008001001080000080000010000');
  assert.equal(dataOf('460000000000000008'), '0000003c00000008');
  assert.equal(dataOf('4a0100001000000008'), '0006041000020000');
  assert.equal(dataOf('4a0100000200000008'), '00028010');
  assert.equal(senseOf('4a0000001000000008'), '5/24/0', 'only polled');
});

test('reads lie within the disc', () => {
  assert.deepEqual(answerTo('2800000003e700000100'), { kind: 'read', first: 999, count: 1 });
  assert.deepEqual(answerTo('a800000000000000000a'), { kind: 'read', first: 0, count: 10 });
  assert.equal(dataOf('28000000000000000000'), 'done');
  assert.equal(senseOf('2800000003e700000200'), '5/21/0');
  assert.equal(senseOf('28ffffffff00ffff00'), '5/21/0');
  assert.equal(senseOf('a8ffffffffffffffff'), '5/21/0');
});

test('all other commands are refused, and the reason can be asked for', () => {
  for (const code of ['04', '15', '2a', '2e', '35', '55', 'aa', 'be', 'ff'])
    assert.equal(senseOf(code), '5/20/0', code);
  const last = senseAfter(answerTo('2a'));
  const answer = answerTo('030000001200', last);
  assert.ok(answer.kind === 'data');
  assert.equal(answer.bytes.toHex(), '700005000000000a00000000200000000000');
  assert.equal(senseOf('120100002400'), '5/24/0', 'vital product data');
});

test('no packet makes it throw, and data is at most as long as the host allows', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 12, maxLength: 12 }), (packet) => {
      const answer = cdAnswerTo(packet, { blocks: BLOCKS, last: NO_SENSE });
      if (answer.kind === 'data') assert.ok(answer.bytes.length > 0 && answer.bytes.length <= 0xffff);
      if (answer.kind === 'read') assert.ok(answer.first + answer.count <= BLOCKS && answer.count > 0);
    }),
    { seed: 23, numRuns: 5000 },
  );
});
