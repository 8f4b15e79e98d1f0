import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootSetting } from '@tinkerbell/bmc';
import type { AmtLies } from '@tinkerbell/sandbox/bmc';
import type { BmcSession } from '../driver.ts';
import { amtRack } from '../testing/amt-rack.ts';
import { codeOf } from '../testing/code-of.ts';
import { tlsSha256 } from '../testing/redfish-rack.ts';

const pxe: BootSetting = { device: 'pxe', persistent: false, efiBoot: true };

test('power is switched and read', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  const states: string[] = [await session.powerState()];
  for (const operation of ['on', 'cycle', 'reset', 'soft', 'on', 'off'] as const) {
    await session.setPower(operation);
    states.push(await session.powerState());
  }
  assert.deepEqual(states, ['off', 'on', 'on', 'on', 'off', 'on', 'off']);
  assert.deepEqual(rack.machine.operations, ['on', 'cycle', 'reset', 'soft', 'on', 'off']);
});

test('the next boot is from the network, and the one after it as usual', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  await session.setBootDevice?.(pxe);
  for (const operation of ['on', 'off', 'on'] as const) await session.setPower(operation);
  assert.deepEqual(rack.machine.boots, ['pxe', 'none']);
  for (const device of ['disk', 'cdrom', 'bios'] as const) {
    await session.setBootDevice?.({ ...pxe, device });
    assert.equal(rack.machine.bootFlags?.device, device);
  }
  await session.setBootDevice?.({ ...pxe, device: 'none' });
  assert.equal(rack.machine.bootFlags, undefined);
});

test('what AMT cannot do is unsupported, and changes nothing', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  for (const setting of [
    { ...pxe, persistent: true },
    { ...pxe, device: 'safe' },
    { ...pxe, httpBootUri: 'http://192.0.2.1/x.efi' },
    { ...pxe, httpBootUri: `https://192.0.2.1/${'x'.repeat(300)}` },
  ] as const)
    assert.equal(await codeOf(session.setBootDevice?.(setting) ?? Promise.resolve()), 'unsupported');
  assert.deepEqual(rack.amt.service.requests, ['Get CIM_AssociatedPowerManagementService']);
});

test('the inventory has the parts of the machine', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  assert.deepEqual(await session.inventory?.(), {
    collectionMethod: 'intelamt',
    product: {
      vendor: 'Tinkerbell',
      model: 'Desk Box & Sons',
      serialNumber: 'CH-1',
      name: 'Desk Box & Sons',
    },
    chassis: { vendor: 'Tinkerbell', model: 'Desk Box & Sons', serialNumber: 'CH-1' },
    baseboard: { vendor: 'Intel Corporation', model: 'NUC11TNBv7', serialNumber: 'BD-1' },
    bios: { vendor: 'Intel Corp.', firmwareVersion: 'TNTGLV57.0064' },
    bmc: { firmwareVersion: '15.0.47' },
    cpu: { sockets: [{ slot: 'CPU 0', model: '11th Gen Intel(R) Core(TM) i7-1185G7', clockSpeedMHz: 4700 }] },
    memory: {
      modules: [
        {
          slot: 'BANK 0',
          vendor: 'Samsung',
          partNumber: 'M471A2G43AB2',
          serialNumber: 'M-1',
          sizeBytes: 17_179_869_184,
          speedMHz: 3200,
        },
      ],
      totalBytes: 17_179_869_184,
    },
    blockDevices: [{ description: 'MEDIA DEV 0', sizeBytes: 512_110_190_000 }],
    networkInterfaces: [{ ports: [{ mac: '52:54:00:00:00:0a' }] }],
  });
  rack.amt.service.lies.missing = /Chassis|Processor|Ethernet/;
  const parts = await session.inventory?.();
  assert.deepEqual(
    [parts?.chassis, parts?.cpu, parts?.networkInterfaces, parts?.baseboard?.model],
    [undefined, undefined, undefined, 'NUC11TNBv7'],
  );
});

test('a certificate is pinned, over TLS', async () => {
  await using rack = await amtRack({}, { isSecure: true });
  await using session = await rack.open({ trust: { kind: 'pin', sha256: tlsSha256 } });
  assert.equal(session.certificateSha256?.(), tlsSha256);
  assert.equal(
    await codeOf(rack.open({ trust: { kind: 'pin', sha256: '0'.repeat(64) } })),
    'untrusted-certificate',
  );
  assert.equal(
    await codeOf(rack.open({ trust: { kind: 'authorities', certificates: [] } })),
    'untrusted-certificate',
  );
});

test('a nonce that ends is replaced, and a wrong password is tried twice at most', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  rack.amt.service.lies.forgetsNonces = true;
  assert.equal(await session.powerState(), 'off');
  rack.amt.service.lies.forgetsNonces = false;
  assert.equal(
    await codeOf(rack.open({ credentials: { username: 'admin', password: 'x' } })),
    'wrong-credentials',
  );
  assert.equal(
    await codeOf(rack.open({ credentials: { username: 'root"\r\nX: y', password: 'x' } })),
    'wrong-credentials',
  );
});

const deep = `<a>${'<b>'.repeat(10_000)}`;
const faults: readonly (readonly [lies: AmtLies, code: string])[] = [
  [{ hasNoDigest: true }, 'unsupported'],
  [{ fault: 'AccessDenied' }, 'missing-privilege'],
  [{ fault: 'InternalError' }, 'rejected'],
  [{ redirectsTo: 'http://192.0.2.66/wsman' }, 'redirected'],
  [{ answerText: '' }, 'invalid-answer'],
  [{ answerText: '<html><body>Please log in</body></html>' }, 'invalid-answer'],
  [{ answerText: deep }, 'invalid-answer'],
  [{ answerText: 'x'.repeat(10_000_000) }, 'too-large'],
  [{ status: 503 }, 'busy'],
  [{ status: 403 }, 'missing-privilege'],
  [{ status: 404 }, 'rejected'],
];

for (const [lies, code] of faults)
  test(`${JSON.stringify(lies).slice(0, 80)}: ${code}`, async () => {
    await using rack = await amtRack(lies);
    assert.equal(await codeOf(rack.open()), code);
  });

test('methods that are refused, and enumerations without an end', async () => {
  await using rack = await amtRack();
  await using session: BmcSession = await rack.open();
  const { lies } = rack.amt.service;
  for (const [returnValue, code] of [
    [1, 'unsupported'],
    [3, 'rejected'],
    [36, 'unsupported'],
    [99, 'rejected'],
  ] as const) {
    lies.returnValue = returnValue;
    assert.equal(await codeOf(session.setPower('soft')), code, String(returnValue));
  }
  delete lies.returnValue;
  lies.hasEndlessPages = true;
  assert.equal(await codeOf(session.inventory?.() ?? Promise.resolve()), 'too-large');
  lies.stalls = true;
  await using slow = await amtRack({ stalls: true });
  assert.equal(await codeOf(slow.open({ timeoutMs: 200 })), 'timed-out');
  const gone = await amtRack();
  await gone[Symbol.asyncDispose]();
  assert.equal(await codeOf(gone.open({}, { port: 1 })), 'unreachable');
});

test('power states that are neither on nor off', async () => {
  for (const [powerState, state] of [
    ['4', 'on'],
    ['7', 'off'],
    ['9', 'unknown'],
    ['Banana', 'unknown'],
  ] as const) {
    await using rack = await amtRack({ powerState });
    await using session = await rack.open();
    assert.equal(await session.powerState(), state);
  }
});
