/** The serial console against the simulated BMC of the sandbox. Time is simulated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cipherSuites } from '@tinkerbell/ipmi';
import type { Random } from '@tinkerbell/platform-contract';
import { IpmiResponder, PlainMachine } from '@tinkerbell/sandbox/bmc';
import type { BmcError } from '../bmc-error.ts';
import type { BmcSession } from '../driver.ts';
import { idle, ManualClock } from '../testing/manual-clock.ts';
import { memoryUdp } from '../testing/memory-udp.ts';
import { createIpmiDriver } from './ipmi-driver.ts';
import { nodeIpmiCrypto } from './node-crypto.ts';

let counter = 0;
const random: Random = {
  bytes: (count) => Uint8Array.from({ length: count }, () => (counter = (counter * 31 + 17) & 0xff)),
  fraction: () => 0.5,
};
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const codeIs =
  (code: string) =>
  (error: BmcError): boolean =>
    error.code === code;

async function rack() {
  const [clock, udp, machine] = [new ManualClock(), memoryUdp(), new PlainMachine()];
  const credentials = { username: 'admin', password: 'secret' };
  const settings = {
    accounts: [{ ...credentials, privilege: 4 }],
    guid: new Uint8Array(16),
    suites: cipherSuites,
  };
  const bmc = await IpmiResponder.open({ udp, clock, random, crypto: nodeIpmiCrypto }, { settings, machine });
  const driver = createIpmiDriver({ clock, random, udp, udp6: udp });
  const target = { host: '127.0.0.1', port: bmc.port, credentials, timeoutMs: 5_000 };
  const open = (): Promise<BmcSession> =>
    clock.until(driver.open({ ...target, trust: { kind: 'any' } }, {}, new AbortController().signal));
  return { clock, machine, bmc, open };
}

test('what is written returns from a serial port that echoes, in order, and a write ends when it was accepted', async () => {
  for (const lies of [{}, { duplicatesPackets: true }, { answersLateMs: 200 }]) {
    const { clock, bmc, open } = await rack();
    const session = await open();
    const console = await clock.until(session.openConsole!());
    Object.assign(bmc.lies, lies);
    const reader = console.output.getReader();
    const long = 'The quick brown fox. '.repeat(100);
    await clock.until(console.write(text(long)));
    let got = '';
    while (got.length < long.length) {
      const { value } = await clock.until(reader.read());
      got += new TextDecoder().decode(value);
    }
    assert.equal(got, long, JSON.stringify(lies));
    const ended = reader.read();
    await clock.until(console[Symbol.asyncDispose]());
    assert.equal((await clock.until(ended)).done, true);
    await assert.rejects(console.write(text('x')), codeIs('session-lost'));
  }
});

test('a break arrives at the serial port', async () => {
  const { clock, machine, open } = await rack();
  const console = await clock.until((await open()).openConsole!());
  await console.sendBreak!();
  await idle();
  assert.equal(machine.serial.breaks, 1);
});

test('a reader that does not read makes the BMC wait, which keeps what fits its own memory', async () => {
  const { clock, machine, open } = await rack();
  const console = await clock.until((await open()).openConsole!());
  const reader = console.output.getReader();
  const bytesEach = 1_000;
  for (let block = 0; block < 160; block++) {
    machine.serial.onOutput(new Uint8Array(bytesEach).fill(block));
    for (let turn = 0; turn < 6; turn++) await idle();
  }
  const END = 0xff;
  const got: number[] = [];
  while (got.at(-1) !== END) {
    const { value } = await clock.until(reader.read());
    got.push(...value!);
    if (got.length >= 120_000) machine.serial.onOutput(Uint8Array.of(END));
  }
  const blocks = got.filter((byte) => byte !== END).map((byte, index) => ({ byte, index }));
  assert.ok(
    blocks.every(({ byte, index }) => byte === Math.floor(index / bytesEach)),
    'in order, nothing twice',
  );
  // Both keep 64 KiB.
  assert.ok(blocks.length >= 120_000 && blocks.length < 140_000, `${blocks.length} of 160000 bytes`);
});

test('a console that another session has open is busy', async () => {
  const { clock, open } = await rack();
  await clock.until((await open()).openConsole!());
  const other = await open();
  await assert.rejects(clock.until(other.openConsole!()), codeIs('busy'));
});

test('a BMC that disappears ends the output and the writes with an error', async () => {
  const { clock, bmc, open } = await rack();
  const console = await clock.until((await open()).openConsole!());
  const reading = console.output.getReader().read();
  const ended = assert.rejects(clock.until(reading), codeIs('session-lost'));
  await bmc[Symbol.asyncDispose]();
  await assert.rejects(clock.until(console.write(text('x'))), codeIs('session-lost'));
  await ended;
});

test('an idle console notices that the BMC is gone', async () => {
  const { clock, bmc, open } = await rack();
  const console = await clock.until((await open()).openConsole!());
  await bmc[Symbol.asyncDispose]();
  await assert.rejects(clock.until(console.output.getReader().read()), codeIs('session-lost'));
});
