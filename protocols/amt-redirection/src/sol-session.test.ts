import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dataIn,
  digestOf,
  encodeTexts,
  loginIn,
  loginType,
  message,
  MessageReader,
  SolSession,
  textsIn,
  type SolStep,
} from './index.ts';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const account = { username: 'admin', password: 'P@ssw0rd' };
const secrets = { md5, clientNonce: '0123456789abcdef' };
const hex = (bytes: Uint8Array | undefined): string | undefined => bytes?.toHex();
const NONE = new Uint8Array();

/** A session that has sent its first message, and what it answers. */
function started() {
  const session = new SolSession(account, secrets);
  session.start();
  return { session, answers: (bytes: Uint8Array): readonly Uint8Array[] => session.take(bytes).sends };
}

function opened() {
  const { session, answers } = started();
  answers(message.startedSession(0));
  answers(message.authenticated(0, loginType.query, Uint8Array.of(1, 3, 4)));
  answers(message.authenticated(1, loginType.digest2617, encodeTexts(['realm', 'nonce', 'auth'])));
  answers(message.authenticated(0, loginType.digest2617, NONE));
  assert.deepEqual(session.take(message.startedSol(0, 0)).outcome, { kind: 'open' });
  return session;
}

const outcomeOf = ({ outcome }: SolStep): string =>
  outcome?.kind === 'failed' ? outcome.failure : (outcome?.kind ?? '');

test('the messages are those that amtterm and MeshCommander send', () => {
  const { session, answers } = started();
  assert.equal(hex(new SolSession(account, secrets).start()), '10000000534f4c20');
  const [query] = answers(message.startedSession(0));
  assert.equal(hex(query), '130000000000000000');
  const [asks] = answers(message.authenticated(0, loginType.query, Uint8Array.of(1, 3, 4)));
  assert.equal(
    hex(asks),
    `13000000042000000005${Buffer.from('admin').toString('hex')}000013${Buffer.from('/RedirectionService').toString('hex')}00000000`,
  );
  const [proves] = answers(
    message.authenticated(1, loginType.digest2617, encodeTexts(['Digest:A4', 'n0', 'auth'])),
  );
  const texts = textsIn(loginIn(proves ?? NONE).data) ?? [];
  const secret = md5('admin:Digest:A4:P@ssw0rd');
  const expected = md5(`${secret}:n0:00000002:0123456789abcdef:auth:${md5('POST:/RedirectionService')}`);
  assert.deepEqual(texts, [
    'admin',
    'Digest:A4',
    'n0',
    '/RedirectionService',
    '0123456789abcdef',
    '00000002',
    expected,
    'auth',
  ]);
  const [starts] = answers(message.authenticated(0, loginType.digest2617, NONE));
  assert.equal(hex(starts), '2000000000000000e803640000001027000088130000'.padEnd(48, '0'));
  assert.deepEqual(session.take(message.startedSol(0, 0)).outcome, { kind: 'open' });
  assert.deepEqual(session.write(Buffer.from('ls')).map(hex), ['280000000100000002006c73']);
  assert.deepEqual(session.take(message.heartbeat(7)).sends.map(hex), ['2b00000002000000']);
  assert.deepEqual(session.end().map(hex), ['2200000003000000', '12000000']);
});

test('an older device gets the digest of RFC 2069', () => {
  const { answers } = started();
  answers(message.startedSession(0));
  answers(message.authenticated(0, loginType.query, Uint8Array.of(3)));
  const [proves] = answers(message.authenticated(1, loginType.digest2069, encodeTexts(['r', 'n'])));
  const { login, data } = loginIn(proves ?? NONE);
  const response = md5(`${md5('admin:r:P@ssw0rd')}:n:${md5('POST:/RedirectionService')}`);
  assert.deepEqual([login, textsIn(data)?.at(-1)], [3, response]);
});

test('each refusal has its reason, and nothing follows it', () => {
  const offer = message.authenticated(0, loginType.query, Uint8Array.of(4));
  const challenge = message.authenticated(1, loginType.digest2617, encodeTexts(['r', 'n', 'auth']));
  const begun = message.startedSession(0);
  const cases: readonly [string, readonly Uint8Array[]][] = [
    ['busy', [message.startedSession(2)]],
    ['unsupported', [message.startedSession(1)]],
    ['unsupported', [begun, message.authenticated(0, loginType.query, Uint8Array.of(1))]],
    ['wrong-credentials', [begun, offer, challenge, message.authenticated(1, loginType.digest2617, NONE)]],
    ['unsupported', [begun, offer, challenge, message.authenticated(0, 4, NONE), message.startedSol(1, 0)]],
    ['invalid', [begun, offer, message.authenticated(1, 4, Uint8Array.of(9, 1))]],
    ['invalid', [begun, offer, message.authenticated(1, 4, encodeTexts(['r', 'n', 'auth-int']))]],
    ['invalid', [begun, begun]],
    ['invalid', [message.startedSol(0, 0)]],
    ['invalid', [offer]],
    ['invalid', [Buffer.from('HTTP/1.1 400 Bad Request')]],
    ['invalid', [Uint8Array.of(0x14, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)]],
  ];
  for (const [expected, messages] of cases) {
    const { session } = started();
    const outcomes = messages.map((bytes) => outcomeOf(session.take(bytes)));
    assert.equal(outcomes.at(-1), expected, messages.map(hex).join(' '));
    assert.deepEqual(session.take(begun), { sends: [], output: [] });
  }
});

test('a password is in no message', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 8 }), (received) => {
      const { session } = started();
      const sent = [message.startedSession(0), ...received].flatMap((bytes) => session.take(bytes).sends);
      for (const bytes of sent) assert.ok(!Buffer.from(bytes).includes(account.password));
    }),
    { seed: 20 },
  );
  assert.throws(() => new SolSession({ username: 'u'.repeat(256), password: '' }, secrets), RangeError);
});

test('what the port prints arrives whole, however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.array(fc.nat(400)), (parts, cuts) => {
      const session = opened();
      const stream = Buffer.concat(parts.map((part, index) => message.dataFromHost(index, part)));
      const edges = [0, ...cuts.map((cut) => Math.min(cut, stream.length)), stream.length].toSorted(
        (a, b) => a - b,
      );
      const output = edges
        .slice(1)
        .flatMap((end, index) => session.take(stream.subarray(edges[index], end)).output);
      assert.deepEqual(Buffer.concat(output), Buffer.concat(parts));
    }),
    { seed: 21 },
  );
});

test('long input is cut into messages that the device takes', () => {
  const session = opened();
  const written = session.write(new Uint8Array(2500).fill(0x61));
  const reader = new MessageReader('console');
  const read = written.flatMap((bytes) => reader.take(bytes));
  assert.deepEqual(
    read.map((bytes) => dataIn(bytes).length),
    [1000, 1000, 500],
  );
  assert.equal(
    digestOf({ login: 4, realm: '', nonce: '', ...account, count: '', clientNonce: '' }, md5).length,
    32,
  );
});

test('messages of either side are read alike in one piece and byte by byte, and noise never hangs', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom('console' as const, 'device' as const),
      (bytes, side) => {
        const [whole, parts] = [new MessageReader(side), new MessageReader(side)];
        const all = whole.take(bytes);
        const pieces = [...bytes].flatMap((byte) => parts.take(Uint8Array.of(byte)));
        assert.deepEqual(pieces, all);
        assert.equal(parts.isBroken, whole.isBroken);
      },
    ),
    { seed: 22 },
  );
});
