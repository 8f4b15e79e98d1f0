/** The driver against the simulated BMC of the sandbox, with its faults. Time is simulated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cipherSuites, encodeInventory } from '@tinkerbell/ipmi';
import type { Random } from '@tinkerbell/platform-contract';
import { IpmiResponder, PlainMachine, type IpmiLies } from '@tinkerbell/sandbox/bmc';
import { BmcError } from '../bmc-error.ts';
import type { BmcSession, BmcTarget } from '../driver.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { memoryUdp } from '../testing/memory-udp.ts';
import type { IpmiOptions } from './ipmi-deps.ts';
import { createIpmiDriver } from './ipmi-driver.ts';
import { nodeIpmiCrypto } from './node-crypto.ts';

const PASSWORD = 'secret-word';
let counter = 0;
const random: Random = {
  bytes: (count) => Uint8Array.from({ length: count }, () => (counter = (counter * 31 + 17) & 0xff)),
  fraction: () => 0.5,
};

interface Rack {
  readonly clock: ManualClock;
  readonly machine: PlainMachine;
  readonly bmc: IpmiResponder;
  readonly open: (
    changes?: Partial<BmcTarget>,
    options?: IpmiOptions,
    signal?: AbortSignal,
  ) => Promise<BmcSession>;
}

async function rack(lies: IpmiLies = {}): Promise<Rack> {
  const [clock, udp, machine] = [new ManualClock(), memoryUdp(), new PlainMachine()];
  const accounts = [
    { username: 'admin', password: PASSWORD, privilege: 4 },
    { username: 'operator', password: PASSWORD, privilege: 3 },
    { username: 'user', password: PASSWORD, privilege: 2 },
  ];
  const settings = { accounts, guid: new Uint8Array(16).fill(1), suites: cipherSuites };
  const bmc = await IpmiResponder.open({ udp, clock, random, crypto: nodeIpmiCrypto }, { settings, machine });
  Object.assign(bmc.lies, lies);
  const driver = createIpmiDriver({ clock, random, udp, udp6: udp });
  return {
    clock,
    machine,
    bmc,
    open(changes = {}, options = {}, signal = new AbortController().signal) {
      const target: BmcTarget = {
        host: '127.0.0.1',
        port: bmc.port,
        credentials: { username: 'admin', password: PASSWORD },
        trust: { kind: 'any' },
        timeoutMs: 10_000,
        ...changes,
      };
      return clock.until(driver.open(target, options, signal));
    },
  };
}

async function failureOf(promise: Promise<unknown>): Promise<BmcError> {
  const thrown = await promise.then(
    () => assert.fail('succeeds'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof BmcError, String(thrown));
  for (const secret of [PASSWORD, 'wrong-word'])
    assert.ok(!`${thrown.message} ${thrown.stack}`.includes(secret), 'shows no credentials');
  return thrown;
}

test('power and boot device are set and read', async () => {
  const { clock, machine, open } = await rack();
  const session = await open();
  assert.equal(await clock.until(session.powerState()), 'off');
  for (const operation of ['on', 'reset', 'cycle', 'soft'] as const)
    await clock.until(session.setPower(operation));
  assert.deepEqual(machine.operations, ['on', 'reset', 'cycle', 'soft']);
  for (const device of ['pxe', 'disk', 'bios', 'cdrom', 'safe', 'none'] as const) {
    const setting = { device, persistent: device === 'disk', efiBoot: device === 'pxe' };
    await clock.until(session.setBootDevice!(setting));
    assert.deepEqual(await clock.until(session.bootDevice!()), setting);
  }
  machine.bootFlags = { isValid: false, isPersistent: false, isEfi: true, device: 'pxe' };
  assert.equal(
    await clock.until(session.bootDevice!()),
    undefined,
    'a device without the valid bit does not count as a report',
  );
  machine.bootFlags = { isValid: false, isPersistent: true, isEfi: true, device: 'none' };
  const none = { device: 'none', persistent: false, efiBoot: false };
  assert.deepEqual(await clock.until(session.bootDevice!()), none);
  await clock.until(session[Symbol.asyncDispose]());
});

test('the login has its causes of failure', async () => {
  const { open } = await rack();
  const codeOf = async (changes: Partial<BmcTarget>, options?: IpmiOptions): Promise<string> =>
    (await failureOf(open(changes, options))).code;
  const wrong = { username: 'admin', password: 'wrong-word' };
  assert.equal(await codeOf({ credentials: wrong }), 'wrong-credentials');
  assert.equal(
    await codeOf({ credentials: { username: 'nobody', password: PASSWORD } }),
    'wrong-credentials',
  );
  assert.equal(await codeOf({ credentials: { username: 'user', password: PASSWORD } }), 'missing-privilege');
  assert.equal(
    await codeOf({ credentials: { username: 'admin', password: 'x'.repeat(21) } }),
    'wrong-credentials',
  );
  assert.equal(await codeOf({ port: 9 }), 'unreachable');
  assert.equal(await codeOf({ host: 'fe80::1' }), 'unsupported');
  assert.equal(await codeOf({}, { cipherSuite: '0' }), 'unsupported');
  assert.equal(await codeOf({}, { port: 9 }), 'unreachable', 'the port of the options comes first');
});

test('an operator may use the driver', async () => {
  const { clock, machine, open } = await rack();
  const session = await open({ credentials: { username: 'operator', password: PASSWORD } });
  await clock.until(session.setPower('on'));
  assert.ok(machine.isPowered);
});

test('a name without an address is unreachable, and one with an address is used', async () => {
  const { clock } = await rack();
  const udp = memoryUdp();
  const lookup = (host: string): Promise<string> =>
    host === 'bmc.example' ? Promise.resolve('127.0.0.1') : Promise.reject(new Error('not found'));
  const driver = createIpmiDriver({ clock, random, udp, udp6: udp, lookup });
  const target = { port: 9, credentials: { username: 'admin', password: PASSWORD }, timeoutMs: 1_000 };
  const open = (host: string) =>
    clock.until(driver.open({ ...target, host, trust: { kind: 'any' } }, {}, new AbortController().signal));
  assert.match((await failureOf(open('bmc.example'))).message, /no answer/);
  assert.match((await failureOf(open('other.example'))).message, /other\.example has no address/);
});

test('a wrong digest of RAKP message 2 is a wrong password, and of message 4 an invalid answer', async () => {
  assert.equal((await failureOf((await rack({ wrongDigestOfRakp: 2 })).open())).code, 'wrong-credentials');
  assert.equal((await failureOf((await rack({ wrongDigestOfRakp: 4 })).open())).code, 'invalid-answer');
});

test('an abort ends the login at once, in whichever phase it is', async () => {
  // Six requests of 500 ms: capabilities, suites, Open Session, RAKP 1 and 3, and the privilege of the session.
  for (const atMs of [200, 700, 1_200, 1_700, 2_200, 2_700]) {
    const { open, clock } = await rack({ answersLateMs: 500 });
    const abort = new AbortController();
    clock.schedule(atMs, () => abort.abort());
    assert.equal((await failureOf(open({}, {}, abort.signal))).code, 'aborted', `${atMs}`);
    assert.equal(clock.nowMs(), atMs);
    assert.equal((await failureOf(open({}, {}, abort.signal))).code, 'aborted');
  }
});

test('late, duplicated and reordered packets change nothing', async () => {
  for (const lies of [{ answersLateMs: 1_500 }, { duplicatesPackets: true }, { reordersPackets: true }]) {
    const { clock, machine, open } = await rack(lies);
    const session = await open();
    await clock.until(session.setPower('on'));
    assert.equal(await clock.until(session.powerState()), 'on', JSON.stringify(lies));
    assert.deepEqual(machine.operations, ['on'], 'performed once');
    await clock.until(session[Symbol.asyncDispose]());
  }
});

test('a busy BMC is asked again, and reported when it stays busy', async () => {
  const { bmc, clock, open } = await rack();
  const session = await open();
  bmc.lies.busyAnswers = 1;
  assert.equal(await clock.until(session.powerState()), 'off');
  bmc.lies.busyAnswers = 100;
  const failure = await failureOf(clock.until(session.powerState()));
  assert.equal(failure.code, 'busy');
  assert.match(failure.message, /too busy/);
});

test('a power cycle that has no answer is sent once, and the failure says so', async () => {
  const { bmc, clock, machine, open } = await rack();
  const session = await open();
  await clock.until(session.setPower('on'));
  bmc.lies.answersLateMs = 30_000;
  const failure = await failureOf(clock.until(session.setPower('cycle')));
  assert.equal(failure.code, 'timed-out');
  assert.match(failure.message, /may have performed/);
  assert.deepEqual(machine.operations, ['on', 'cycle']);
});

test('a BMC that forgot the session differs from one that is gone', async () => {
  const forgetful = await rack();
  const session = await forgetful.open();
  forgetful.bmc.lies.forgetsSessions = true;
  assert.equal((await failureOf(forgetful.clock.until(session.powerState()))).code, 'session-lost');
  assert.equal((await failureOf(forgetful.clock.until(session.powerState()))).code, 'session-lost');

  const gone = await rack();
  const other = await gone.open();
  await gone.bmc[Symbol.asyncDispose]();
  assert.equal((await failureOf(gone.clock.until(other.powerState()))).code, 'timed-out');
});

test('an idle session is kept, and a closed one answers nothing', async () => {
  const { clock, open } = await rack();
  const session = await open();
  for (let count = 0; count < 20; count++) {
    clock.runNext();
    await clock.until(new Promise<void>((resolve) => clock.schedule(1_000, resolve)));
  }
  assert.ok(clock.nowMs() > 60_000, 'longer than a BMC keeps a silent session');
  assert.equal(await clock.until(session.powerState()), 'off');
  await clock.until(session[Symbol.asyncDispose]());
  assert.equal((await failureOf(clock.until(session.powerState()))).code, 'session-lost');
});

test('a BMC that ignores operations is caught by reading back', async () => {
  const { clock, open } = await rack({ ignoresPower: true, ignoresBootDevice: true });
  const session = await open();
  await clock.until(session.setPower('on'));
  assert.equal(await clock.until(session.powerState()), 'off');
  await clock.until(session.setBootDevice!({ device: 'pxe', persistent: false, efiBoot: true }));
  assert.equal((await clock.until(session.bootDevice!()))?.device, 'none');
});

test('what IPMI cannot do is unsupported, and what the BMC refuses is quoted', async () => {
  const { clock, open } = await rack();
  const session = await open();
  const http = { device: 'pxe', persistent: false, efiBoot: true, httpBootUri: 'http://x/' } as const;
  assert.equal((await failureOf(clock.until(session.setBootDevice!(http)))).code, 'unsupported');
  const cycle = await failureOf(clock.until(session.setPower('cycle')));
  assert.equal(cycle.code, 'rejected');
  assert.match(cycle.message, /a state that does not support the command \(code 0xd5\)/);
  assert.ok(!('setVirtualMedia' in session));
});

test('the inventory has the fields of its areas, and is empty without a device', async () => {
  const { clock, machine, open } = await rack();
  const session = await open();
  const bmcOnly = { collectionMethod: 'ipmitool', bmc: { firmwareVersion: '2.14' } };
  assert.deepEqual(await clock.until(session.inventory!()), bmcOnly);
  const inventory = encodeInventory({
    chassis: { type: 23, partNumber: 'C-1', serialNumber: 'C1' },
    board: { manufacturer: 'Acme', name: 'Board', serialNumber: 'B1', partNumber: 'P1' },
    product: { manufacturer: 'Acme', name: 'Rack 1', partNumber: 'R1', serialNumber: 'S1' },
  });
  machine.inventories = new Map([[0, inventory]]);
  assert.deepEqual(await clock.until(session.inventory!()), {
    ...bmcOnly,
    chassis: { model: 'C-1', serialNumber: 'C1' },
    baseboard: { vendor: 'Acme', model: 'Board', serialNumber: 'B1', description: 'P1' },
    product: { vendor: 'Acme', name: 'Rack 1', model: 'R1', serialNumber: 'S1' },
  });
  machine.inventories = new Map([[0, new Uint8Array(64).fill(0xff)]]);
  assert.deepEqual(await clock.until(session.inventory!()), bmcOnly, 'an unwritten device');
});
