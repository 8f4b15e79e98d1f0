import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BLOCK_BYTES,
  device,
  encodeTexts,
  iderMessage,
  IderSession,
  iderType,
  loginType,
  message,
  MessageReader,
  resultIn,
  sequenceIn,
  type IderStep,
} from './index.ts';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const account = { username: 'admin', password: 'P@ssw0rd' };
const secrets = { md5, clientNonce: '0123456789abcdef' };
const hex = (bytes: Uint8Array | undefined): string | undefined => bytes?.toHex();
const NONE = new Uint8Array();
const BLOCKS = 1000;

/** A session that has logged in, and counts the messages of the device. */
function loggedIn() {
  const session = new IderSession(account, secrets, BLOCKS);
  session.start();
  session.take(message.startedSession(0));
  session.take(message.authenticated(0, loginType.query, Uint8Array.of(4)));
  session.take(message.authenticated(1, loginType.digest2617, encodeTexts(['realm', 'nonce', 'auth'])));
  const first = session.take(message.authenticated(0, loginType.digest2617, NONE));
  let sequence = 0;
  const next = (create: (sequence: number) => Uint8Array): IderStep => session.take(create(sequence++));
  return { session, first, next };
}

function opened() {
  const { session, next } = loggedIn();
  next((sequence) => iderMessage.opened(0, sequence));
  assert.deepEqual(next((sequence) => iderMessage.enabled(sequence, 1)).outcome, { kind: 'open' });
  const command = (packetHex: string, drive: number = device.cd): IderStep => {
    const packet = new Uint8Array(12);
    packet.set(Uint8Array.fromHex(packetHex));
    return next((sequence) => iderMessage.command(sequence, { device: drive, isDma: true, packet }));
  };
  return { session, next, command };
}

const outcomeOf = ({ outcome }: IderStep): string =>
  outcome?.kind === 'failed' ? outcome.failure : (outcome?.kind ?? '');

test('the messages are those that amtterm and MeshCentral send', () => {
  assert.equal(hex(new IderSession(account, secrets, BLOCKS).start()), '1000000049444552');
  const { session, first, next } = loggedIn();
  // Times of 30 s, 0 and 20 s, and version 1.
  assert.deepEqual(first.sends.map(hex), ['400000000000000030750000204e01000000']);
  // Enabled, at once.
  assert.deepEqual(next((n) => iderMessage.opened(0, n)).sends.map(hex), ['48000000010000000319000000']);
  assert.deepEqual(next((n) => iderMessage.enabled(n, 1)).outcome, { kind: 'open' });
  assert.deepEqual(next((n) => iderMessage.ping(n)).sends.map(hex), ['4500000002000000']);
  assert.deepEqual(next((n) => iderMessage.heartbeat(n)).sends, []);
  assert.equal(hex(session.ping()), '4400000003000000');
  assert.deepEqual(next((n) => iderMessage.reset(n)).sends.map(hex), ['4700000004000000']);
  assert.deepEqual(session.end().map(hex), ['4200000005000000', '12000000']);
});

test('commands end as those of a CD drive in MeshCentral', () => {
  const { command } = opened();
  // Registers: interrupt, reason, device and status; 3: ended; 50: ready.
  const ready = '000000000000000000000000c50003000000b050000000';
  assert.deepEqual(command('00').sends.map(hex), [`5100000202000000${ready}`]);
  // With the error register, and sense 5/20/0.
  const refused = '000000000000000000000000875003000000b051052000';
  assert.deepEqual(command('2a').sends.map(hex), [`5100000203000000${refused}`]);
  // 8 bytes; registers: b4, data to the host, 58; then 85, ended, 50.
  const head = '00080000b40002000000b058850003000000b050000000000000';
  assert.deepEqual(command('25').sends.map(hex), [`5400000304000000${head}000003e700000800`]);
  const [floppy] = command('00', device.floppy).sends;
  assert.deepEqual(resultIn(floppy ?? NONE).sense, { key: 2, code: 0x3a, qualifier: 0 });
});

test('a read is cut into messages that the device takes', () => {
  const { session, command } = opened();
  const { read, sends } = command('280000000005000008');
  assert.deepEqual([read, sends], [{ first: 5, count: 8 }, []]);
  const bytes = Uint8Array.from({ length: 8 * BLOCK_BYTES }, (_, index) => index % 251);
  const first = session.supply(bytes.subarray(0, 3000));
  const second = session.supply(Buffer.concat([bytes.subarray(3000), bytes]));
  assert.deepEqual([first.isOver, second.isOver], [false, true]);
  const results = [...first.sends, ...second.sends].map(resultIn);
  assert.deepEqual(Buffer.concat(results.map((result) => result.bytes)), Buffer.from(bytes));
  assert.deepEqual(
    results.map(({ isLast }) => isLast),
    [false, false, true],
  );
  assert.deepEqual(
    results.map((result) => result.bytes.length),
    [3000, 8192, 16_384 - 3000 - 8192],
  );
  assert.deepEqual(session.supply(bytes), { sends: [], isOver: true });
});

test('a read ends with a reset of the drive, or with an error of the disc', () => {
  const { session, next, command } = opened();
  command('280000000000000010');
  session.supply(new Uint8Array(2048));
  assert.deepEqual(next((n) => iderMessage.reset(n)).sends, [], 'the read is asked first');
  const { sends, isOver } = session.supply(new Uint8Array(2048));
  assert.deepEqual([sends.map((one) => one[0]), isOver], [[iderType.resetDone], true]);
  command('280000000000000010');
  const [failed] = session.failRead();
  assert.deepEqual(resultIn(failed ?? NONE).sense, { key: 3, code: 0x11, qualifier: 0 });
  assert.deepEqual(session.failRead(), []);
  assert.deepEqual(command('280000000000000001').read, { first: 0, count: 1 });
});

test('each refusal has its reason, and nothing follows it', () => {
  const command = { device: device.cd, isDma: true, packet: Uint8Array.fromHex('280000000000000001000000') };
  const noPacket = iderMessage.command(2, command);
  noPacket[15] = 0xec;
  const open = [iderMessage.opened(0, 0), iderMessage.enabled(1, 1)];
  const cases: readonly [string, readonly Uint8Array[]][] = [
    ['unsupported', [iderMessage.opened(1, 0)]],
    ['invalid', [iderMessage.opened(0, 1)]],
    ['invalid', [iderMessage.opened(0, 0, 0)]],
    ['invalid', [iderMessage.opened(0, 0, 8193)]],
    ['invalid', [iderMessage.opened(0, 0), iderMessage.opened(0, 1)]],
    ['unsupported', [iderMessage.opened(0, 0), iderMessage.enabled(1, 0)]],
    ['invalid', [...open, noPacket]],
    ['invalid', [...open, iderMessage.command(2, command), iderMessage.command(3, command)]],
    ['invalid', [message.startedSol(1, 0)]],
    ['invalid', [message.startedSession(0)]],
    ['invalid', [Buffer.from('HTTP/1.1 400 Bad Request')]],
    ['closed', [iderMessage.ended(0)]],
  ];
  for (const [expected, messages] of cases) {
    const { session } = loggedIn();
    const outcomes = messages.map((bytes) => outcomeOf(session.take(bytes)));
    assert.equal(outcomes.at(-1), expected, messages.map(hex).join(' '));
    assert.deepEqual(session.take(iderMessage.ping(9)), { sends: [] });
  }
  const early = new IderSession(account, secrets, BLOCKS);
  assert.equal(outcomeOf(early.take(iderMessage.opened(0, 0))), 'invalid', 'before the login');
});

/** Messages that a device may send, valid or with a random byte. */
const received = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.record({ at: fc.nat(60), value: fc.nat(255), packet: fc.uint8Array({ minLength: 12, maxLength: 12 }) }),
);

test('whatever a device sends, messages are numbered, data is bounded, and no password is sent', () => {
  fc.assert(
    fc.property(fc.array(received, { maxLength: 30 }), fc.boolean(), (all, isMutated) => {
      const { session, next } = opened();
      const sent: Uint8Array[] = [];
      for (const one of all) {
        const step =
          one instanceof Uint8Array
            ? session.take(one)
            : next((sequence) => {
                const bytes = iderMessage.command(sequence, {
                  device: device.cd,
                  isDma: true,
                  packet: one.packet,
                });
                if (isMutated) bytes[one.at % bytes.length] = one.value;
                return bytes;
              });
        sent.push(...step.sends);
        if (step.read !== undefined) {
          assert.ok(step.read.first + step.read.count <= BLOCKS);
          sent.push(...session.supply(new Uint8Array(BLOCK_BYTES)).sends, ...session.failRead());
        }
        if (step.outcome !== undefined) break;
      }
      const reader = new MessageReader('console');
      const read = sent.flatMap((bytes) => reader.take(bytes));
      assert.equal(read.length, sent.length, 'each is one message');
      assert.deepEqual(
        read.map(sequenceIn),
        read.map((_, index) => index + 2),
      );
      for (const bytes of sent) {
        assert.ok(bytes.length <= 34 + 8192);
        assert.ok(!Buffer.from(bytes).includes(account.password));
      }
    }),
    { seed: 24, numRuns: 2000 },
  );
});

test('a user name that no session can have is refused', () => {
  assert.throws(
    () => new IderSession({ username: 'u'.repeat(256), password: '' }, secrets, BLOCKS),
    RangeError,
  );
});
