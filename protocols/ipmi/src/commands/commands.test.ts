import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex, hexToBytes } from '@tinkerbell/wire';
import { describeCompletion } from '../message/completion-code.ts';
import { describeRakpStatus } from '../session/rakp-status.ts';
import {
  decodeBootFlags,
  decodeBootParameter,
  encodeBootFlags,
  encodeBootParameter,
  setBootParameterRequest,
  type BootFlags,
} from './boot-options.ts';
import {
  chassisControlRequest,
  chassisOperationOf,
  chassisOperations,
  decodeChassisStatus,
} from './chassis.ts';
import { decodeDeviceId, encodeDeviceId } from './device-id.ts';
import { decodeSensorReading } from './sensor-commands.ts';
import { activateSolRequest, decodeActivatedSol } from './sol-commands.ts';

test('the boot flags have the bytes of ipmitool', () => {
  const flags: BootFlags = { isValid: true, isPersistent: false, isEfi: true, device: 'pxe' };
  // ipmitool chassis bootdev pxe options=efiboot
  assert.equal(bytesToHex(encodeBootFlags(flags)), 'a004000000');
  assert.equal(bytesToHex(setBootParameterRequest(5, encodeBootFlags(flags)).bytes), '05a004000000');
  const value = encodeBootParameter({ parameter: 5, isInvalid: false, bytes: encodeBootFlags(flags) });
  assert.equal(bytesToHex(value), '0105a004000000');
  const parameter = decodeBootParameter(value);
  assert.ok(parameter.ok);
  assert.deepEqual(decodeBootFlags(parameter.value.bytes), { ok: true, value: flags });
});

test('boot flags of every device return from their bytes, and reserved devices are refused', () => {
  let known = 0;
  for (let selector = 0; selector < 16; selector++) {
    for (const first of [0x00, 0x80, 0xc0, 0xe0]) {
      const bytes = Uint8Array.of(first, selector << 2, 0, 0, 0);
      const read = decodeBootFlags(bytes);
      if (!read.ok) continue;
      known += 1;
      assert.deepEqual(encodeBootFlags(read.value), bytes);
    }
  }
  assert.equal(known, 12 * 4);
  assert.ok(!decodeBootFlags(Uint8Array.of(0x80)).ok);
});

test('chassis operations have the numbers of section 28.3', () => {
  assert.deepEqual(
    chassisOperations.map((operation) => chassisControlRequest(operation).bytes[0]),
    [0, 1, 2, 3, 4, 5],
  );
  assert.equal(chassisOperationOf(Uint8Array.of(6)), undefined);
  assert.equal(chassisOperationOf(new Uint8Array()), undefined);
});

test('the power state is one bit of the chassis status', () => {
  const status = decodeChassisStatus(Uint8Array.of(0x61, 0x10, 0x40));
  assert.ok(status.ok && status.value.isPowered && !status.value.hasPowerFault);
  assert.ok(!decodeChassisStatus(Uint8Array.of(0x61)).ok);
});

test('a device id has the fields of section 20.1', () => {
  const bytes = hexToBytes('20 81 02 14 02 8f 91 12 00 02 0f')!;
  const read = decodeDeviceId(bytes);
  assert.deepEqual(read, {
    ok: true,
    value: {
      deviceId: 0x20,
      deviceRevision: 1,
      hasSensorRecords: true,
      firmwareVersion: '2.14',
      isUpdating: false,
      ipmiVersion: '2.0',
      support: 0x8f,
      manufacturerId: 0x1291,
      productId: 0xf02,
    },
  });
  assert.ok(read.ok);
  assert.deepEqual(encodeDeviceId(read.value), bytes);
});

test('the console asks for encryption, and its packets fit both the BMC and their count', () => {
  assert.equal(bytesToHex(activateSolRequest.bytes), '0101c0000000');
  const answer = (size: string): Uint8Array => hexToBytes(`00000000 ${size} 0001 6f02 ffff`)!;
  const charactersOf = (size: string): number => {
    const read = decodeActivatedSol(answer(size));
    return read.ok ? read.value.charactersToBmcMax : 0;
  };
  assert.equal(charactersOf('6400'), 96);
  assert.equal(charactersOf('ffff'), 255);
  assert.equal(charactersOf('0000'), 1);
});

test('a sensor without a reading has none', () => {
  const readingOf = (flags: number) => decodeSensorReading(Uint8Array.of(42, flags));
  assert.deepEqual(readingOf(0xc0), { ok: true, value: 42 });
  assert.deepEqual(readingOf(0xe0), { ok: true, value: undefined });
  assert.deepEqual(readingOf(0x80), { ok: true, value: undefined });
});

test('every completion code and status has a sentence', () => {
  const activate = { netFn: 6, command: 0x48 };
  assert.equal(describeCompletion(activate, 0x80), 'another session has the serial console open (code 0x80)');
  fc.assert(
    fc.property(fc.nat(255), fc.nat(255), (command, code) => {
      assert.match(describeCompletion({ netFn: 0, command }, code), /^[a-z].+ \(code 0x[0-9a-f]{2}\)$/);
      assert.match(describeRakpStatus(code), /^[a-z].+ \(status 0x[0-9a-f]{2}\)$/);
    }),
  );
});
