import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import fc from 'fast-check';
import { BmcError } from '../bmc-error.ts';
import type { BmcSession, SerialConsole } from '../driver.ts';
import { openAmtConsole } from './amt-console.ts';
import { nodeDigestHash } from './node-digest.ts';
import { amtRack, type AmtRack } from '../testing/amt-rack.ts';
import { codeOf } from '../testing/code-of.ts';

const timeout = 30_000;

async function consoleOf(session: BmcSession): Promise<SerialConsole> {
  const console = await session.openConsole?.();
  assert.ok(console !== undefined);
  return console;
}

async function read(console: SerialConsole, length: number): Promise<string> {
  let text = '';
  const reader = console.output.getReader();
  while (text.length < length) {
    const { value, done } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString('latin1');
  }
  reader.releaseLock();
  return text;
}

for (const isSecure of [false, true])
  test(
    `a new machine is switched to its console${isSecure ? ' over TLS' : ''}, which echoes`,
    { timeout },
    async () => {
      await using rack = await amtRack({}, { isSecure });
      await using session = await rack.open();
      {
        await using console = await consoleOf(session);
        const lines = 'uname -a\r'.repeat(1000);
        const [, text] = await Promise.all([console.write(Buffer.from(lines)), read(console, lines.length)]);
        assert.equal(text, lines);
      }
      await using again = await consoleOf(session);
      await again.write(Buffer.from('x'));
      assert.equal(await read(again, 1), 'x');
      assert.deepEqual(rack.amt.service.requests.slice(1), [
        'Get AMT_RedirectionService',
        'RequestStateChange AMT_RedirectionService',
        'Get AMT_RedirectionService',
        'Put AMT_RedirectionService',
        'Get AMT_RedirectionService',
      ]);
    },
  );

test('one session at a time has the console', { timeout }, async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  const first = await consoleOf(session);
  assert.equal(await codeOf(consoleOf(session)), 'busy');
  await first[Symbol.asyncDispose]();
  assert.equal(await codeOf(first.write(Buffer.from('x'))), 'session-lost');
  await using _later = await eventually(() => consoleOf(session));
});

/** The device notices the end of a session a moment later. */
async function eventually<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof BmcError) || thrown.code !== 'busy') throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

test('the end of a machine ends its console with a cause', { timeout }, async () => {
  await using rack = await amtRack();
  const session = await rack.open();
  const console = await consoleOf(session);
  await rack.amt[Symbol.asyncDispose]();
  assert.equal(await codeOf(read(console, 1)), 'session-lost');
  await session[Symbol.asyncDispose]();
});

test('devices that refuse, stall or speak nonsense have a cause in bounded time', { timeout }, async () => {
  const codeWith = async (change: (rack: AmtRack) => void, timeoutMs = 5000): Promise<string> => {
    await using rack = await amtRack();
    await using session = await rack.open({ timeoutMs });
    change(rack);
    return await codeOf(consoleOf(session));
  };
  assert.equal(await codeWith(({ amt }) => (amt.service.lies.hasNoSol = true)), 'unsupported');
  assert.equal(await codeWith(({ amt }) => (amt.service.lies.missing = /Redirection/)), 'unsupported');
  assert.equal(await codeWith(({ amt }) => (amt.service.lies.returnValue = 16)), 'rejected');
  const stalls = ({ amt }: AmtRack) => (amt.service.lies.consoleSends = new Uint8Array());
  assert.equal(await codeWith(stalls, 200), 'timed-out');
  const nonsense = ({ amt }: AmtRack) => (amt.service.lies.consoleSends = Buffer.from('SSH-2.0-x\r\n'));
  assert.equal(await codeWith(nonsense), 'invalid-answer');
});

test('random answers never open a console, and never hang', { timeout }, async () => {
  await using rack = await amtRack();
  await using session = await rack.open({ timeoutMs: 150 });
  const begin = fc.constantFrom(
    '',
    '1100000001000000000000000000',
    '11000000010000000000000000140000000001000000',
    '1102',
  );
  const bytes = fc.tuple(begin, fc.uint8Array({ maxLength: 40 }));
  await fc.assert(
    fc.asyncProperty(bytes, async ([head, tail]) => {
      rack.amt.service.lies.consoleSends = Buffer.concat([Buffer.from(head, 'hex'), tail]);
      assert.notEqual(await codeOf(consoleOf(session)), 'ok');
    }),
    { seed: 16994, numRuns: 60 },
  );
});

test('a user name that is too long is refused before anything is connected', async () => {
  const openStream = () => assert.fail('it connected');
  const deps = {
    clock: nodeClock,
    openStream,
    random: nodeRandom,
    hash: nodeDigestHash,
  };
  const credentials = { username: 'u'.repeat(300), password: 'x' };
  const target = { host: '127.0.0.1', credentials, trust: { kind: 'any' }, timeoutMs: 100 } as const;
  const given = { target, options: {}, signal: new AbortController().signal };
  assert.equal(await codeOf(openAmtConsole(deps, given)), 'wrong-credentials');
});
