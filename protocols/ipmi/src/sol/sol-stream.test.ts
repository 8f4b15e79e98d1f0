import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex } from '@tinkerbell/wire';
import { decodeSol, encodeSol, solStatus, type SolPacket } from './sol-packet.ts';
import {
  startSolStream,
  stepSolStream,
  unacceptedCount,
  type SolStep,
  type SolStream,
} from './sol-stream.ts';

const text = (value: string): Uint8Array => Uint8Array.from(value, (one) => one.charCodeAt(0));
const start = (side: SolStream['side'] = 'client', charactersMax = 4): SolStream =>
  startSolStream({ side, charactersMax, timeoutMs: 2_000 });
const write = (stream: SolStream, value: string): SolStep =>
  stepSolStream(stream, { kind: 'write', characters: text(value) });
const timeout = ({ stream }: SolStep): SolStep => stepSolStream(stream, { kind: 'timeout' });

function receive(stream: SolStream, packet: Partial<SolPacket>): SolStep {
  const whole = { sequence: 0, acknowledged: 0, acceptedCount: 0, flags: 0, characters: text('') };
  return stepSolStream(stream, { kind: 'packet', payload: encodeSol({ ...whole, ...packet }) });
}

const hexOf = ({ sends }: SolStep): string[] => sends.map((bytes) => bytesToHex(bytes));

test('a packet has the bytes of table 15-2', () => {
  const bytes = Uint8Array.of(
    0x03, // packet sequence number 3
    0x0f, // acknowledges 15
    0x02, // of which 2 characters were accepted
    0x64, // refused, no characters for now, break detected
    0x41, // A
  );
  const read = decodeSol(bytes);
  assert.ok(read.ok);
  const { unavailable, breakDetected, refused } = solStatus;
  assert.deepEqual(read.value, {
    sequence: 3,
    acknowledged: 15,
    acceptedCount: 2,
    flags: refused | unavailable | breakDetected,
    characters: text('A'),
  });
  assert.equal(bytesToHex(encodeSol(read.value)), bytesToHex(bytes));
  for (let length = 0; length < 4; length++) assert.ok(!decodeSol(bytes.subarray(0, length)).ok, `${length}`);
  assert.ok(!decodeSol(new Uint8Array(260)).ok);
});

test('one packet is in flight, and the next one follows its acknowledgement', () => {
  const first = write(start(), 'abcdef');
  assert.deepEqual(hexOf(first), ['0100000061626364']);
  assert.deepEqual(hexOf(write(first.stream, 'g')), []);
  const second = receive(first.stream, { acknowledged: 1, acceptedCount: 4 });
  assert.deepEqual(hexOf(second), ['020000006566']);
  assert.equal(unacceptedCount(second.stream), 2);
  const end = receive(second.stream, { acknowledged: 2, acceptedCount: 2 });
  assert.equal(unacceptedCount(end.stream), 0);
  assert.equal(timeout(end).sends.length, 0);
});

test('sequence numbers go from 15 to 1', () => {
  let { stream } = write(start('client', 1), 'abcdefghijklmnop');
  for (let sequence = 1; sequence <= 15; sequence++)
    stream = receive(stream, { acknowledged: sequence, acceptedCount: 1 }).stream;
  assert.equal(stream.inFlight?.sequence, 1);
});

test('a packet without an acknowledgement is sent again, and the console is lost in the end', () => {
  let step = write(start(), 'ab');
  const [sent] = hexOf(step);
  for (let repeat = 0; repeat < 3; repeat++) {
    step = timeout(step);
    assert.deepEqual(hexOf(step), [sent]);
  }
  assert.equal(timeout(step).outcome, 'lost');
});

test('characters that were not accepted are sent again under a new number', () => {
  const { stream } = write(start(), 'abcd');
  assert.deepEqual(hexOf(receive(stream, { acknowledged: 1, acceptedCount: 1 })), ['02000000626364']);
});

test('a refused packet waits, is tried again, and a BMC that answers is never given up', () => {
  let step = write(start(), 'ab');
  for (let round = 0; round < 20; round++) {
    const sequence = step.stream.inFlight!.sequence;
    const refused = receive(step.stream, { acknowledged: sequence, flags: solStatus.refused });
    assert.deepEqual(hexOf(refused), [], 'waits');
    step = timeout(refused);
    assert.equal(step.sends.length, 1, 'tries again');
  }
});

test('a BMC that takes no characters resumes with a packet without that flag', () => {
  const { stream } = write(start(), 'ab');
  const flags = solStatus.unavailable;
  const waiting = receive(stream, { acknowledged: 1, acceptedCount: 2, flags });
  const more = write(waiting.stream, 'cd');
  assert.deepEqual(hexOf(more), []);
  assert.deepEqual(hexOf(receive(more.stream, {})), ['020000006364']);
});

test('a repeated packet is acknowledged again and delivered once, with what was added to it', () => {
  const first = receive(start(), { sequence: 1, characters: text('ab') });
  assert.equal(bytesToHex(first.output!), '6162');
  assert.deepEqual(hexOf(first), ['00010200']);
  const repeated = receive(first.stream, { sequence: 1, characters: text('ab') });
  assert.equal(repeated.output, undefined);
  assert.deepEqual(hexOf(repeated), ['00010200']);
  const longer = receive(repeated.stream, { sequence: 1, characters: text('abc') });
  assert.equal(bytesToHex(longer.output!), '63');
});

test('a paused side refuses packets, and asks for them when it resumes', () => {
  const paused = stepSolStream(start(), { kind: 'pause' });
  const refused = receive(paused.stream, { sequence: 5, characters: text('ab') });
  assert.equal(refused.output, undefined);
  assert.deepEqual(hexOf(refused), ['00050040']);
  const resumed = stepSolStream(refused.stream, { kind: 'resume' });
  assert.deepEqual(hexOf(resumed), ['00050000']);
  assert.equal(bytesToHex(receive(resumed.stream, { sequence: 6, characters: text('ab') }).output!), '6162');
});

test('two sides that refuse each other do not send without end', () => {
  const paused = (side: SolStream['side']): SolStream => stepSolStream(start(side), { kind: 'pause' }).stream;
  const sides = { client: paused('client'), bmc: paused('bmc') };
  const writeAndDeliver = (from: SolStream['side']): void => {
    const wire: { readonly to: SolStream['side']; readonly payload: Uint8Array }[] = [];
    const perform = (side: SolStream['side'], { stream, sends }: SolStep): void => {
      sides[side] = stream;
      for (const payload of sends) wire.push({ to: side === 'client' ? 'bmc' : 'client', payload });
    };
    perform(from, write(sides[from], 'a'));
    for (let count = 0; wire.length > 0; count++) {
      assert.ok(count < 10, 'ends');
      const { to, payload } = wire.shift()!;
      perform(to, stepSolStream(sides[to], { kind: 'packet', payload }));
    }
  };
  writeAndDeliver('client');
  writeAndDeliver('bmc');
});

test('a break is sent with the flag of its side, and seen once', () => {
  const sent = stepSolStream(start(), { kind: 'break' });
  assert.deepEqual(hexOf(sent), ['01000010']);
  const bmc = start('bmc');
  const seen = stepSolStream(bmc, { kind: 'packet', payload: sent.sends[0]! });
  assert.equal(seen.hasBreak, true);
  assert.equal(stepSolStream(seen.stream, { kind: 'packet', payload: sent.sends[0]! }).hasBreak, undefined);
});

test('a console that the BMC closed is over', () => {
  const step = receive(start(), { flags: solStatus.deactivated });
  assert.equal(step.outcome, 'deactivated');
  assert.deepEqual(hexOf(write(step.stream, 'a')), []);
});

test('both sides get all characters in order, whatever is lost, repeated or late', () => {
  const fates = fc.array(fc.constantFrom('deliver', 'lose', 'duplicate', 'pause'), { maxLength: 40 });
  fc.assert(
    fc.property(fates, fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (fates, up, down) => {
      const sides = { client: start('client', 7), bmc: start('bmc', 5) };
      const got = { client: '', bmc: '' };
      const wire: { to: 'client' | 'bmc'; payload: Uint8Array }[] = [];
      const perform = (side: 'client' | 'bmc', step: SolStep): void => {
        assert.equal(step.outcome, undefined);
        sides[side] = step.stream;
        got[side] += String.fromCharCode(...(step.output ?? []));
        for (const payload of step.sends) wire.push({ to: side === 'client' ? 'bmc' : 'client', payload });
      };
      const latin = (value: string): string => value.replaceAll(/[^\0-\u00ff]/g, '?');
      perform('client', write({ ...sides.client, timeoutMs: 1e9 }, latin(up)));
      perform('bmc', write({ ...sides.bmc, timeoutMs: 1e9 }, latin(down)));
      for (let turn = 0; turn < 500; turn++) {
        const packet = wire.shift();
        if (packet === undefined) {
          for (const side of ['client', 'bmc'] as const) {
            if (sides[side].isPaused) perform(side, stepSolStream(sides[side], { kind: 'resume' }));
            perform(side, stepSolStream(sides[side], { kind: 'timeout' }));
          }
          if (wire.length === 0) break;
          continue;
        }
        const fate = fates[turn] ?? 'deliver';
        if (fate === 'lose') continue;
        const side = packet.to;
        if (fate === 'pause') perform(side, stepSolStream(sides[side], { kind: 'pause' }));
        const times = fate === 'duplicate' ? 2 : 1;
        for (let time = 0; time < times; time++)
          perform(side, stepSolStream(sides[side], { kind: 'packet', payload: packet.payload }));
      }
      assert.equal(got.bmc, latin(up));
      assert.equal(got.client, latin(down));
    }),
  );
});
