import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToHex } from '@tinkerbell/wire';
import { capabilitiesRequest, decodeCapabilities } from '../commands/channel-capabilities.ts';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '../message/ipmi-message.ts';
import { cipherSuiteIdsIn, cipherSuites, encodeCipherSuiteRecords } from '../session/cipher-suite.ts';
import { decodeAsf, encodeAsf } from './asf.ts';
import { DATAGRAM_BYTES_MAX, decodeRmcp, encodeRmcp } from './rmcp.ts';
import { decodeSessionPacket, encodePlainPacket } from './session-packet.ts';

/** Bytes by field. */
const fields = (...parts: readonly (readonly number[])[]): Uint8Array => Uint8Array.from(parts.flat());

/** Get Channel Authentication Capabilities as ipmitool 1.8.19 sends it. */
const request = fields(
  [0x06, 0x00, 0xff, 0x07], // RMCP 1.0, reserved, no acknowledgement, IPMI
  [0x00, 0, 0, 0, 0, 0, 0, 0, 0], // no authentication, session sequence number, session id
  [0x09], // payload length
  [0x20, 0x18, 0xc8], // to the BMC, network function 6, checksum
  [0x81, 0x00], // from a remote console, sequence number 0
  [0x38, 0x8e, 0x04], // command, this channel with IPMI 2.0, administrator
  [0xb5], // checksum
);

/** The answer of ipmi_sim 2.0.33. */
const response = fields(
  [0x06, 0x00, 0xff, 0x07],
  [0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0x10],
  [0x81, 0x1c, 0x63, 0x20, 0x00, 0x38], // to the console, network function 7, checksum, from the BMC, number, command
  [0x00], // completed
  [0x01, 0x97, 0x06, 0x03], // channel 1, IPMI 2.0 and 1.5 types, named users, IPMI 2.0 and 1.5
  [0, 0, 0, 0], // OEM
  [0x07], // checksum
);

test('the first request and its answer have the bytes of ipmitool and of OpenIPMI', () => {
  const message = encodeRequest(capabilitiesRequest(4), 0);
  const sent = encodeRmcp({ messageClass: 'ipmi', body: encodePlainPacket(message) });
  assert.equal(bytesToHex(sent), bytesToHex(request));
  const rmcp = decodeRmcp(response);
  const packet = rmcp.ok ? decodeSessionPacket(rmcp.value.body) : rmcp;
  const answer = packet.ok ? decodeResponse(packet.value.payload) : packet;
  assert.ok(answer.ok && answer.value.completionCode === 0);
  assert.deepEqual(decodeCapabilities(answer.value.bytes), {
    ok: true,
    value: { channel: 1, supportsIpmi2: true, supportsIpmi15: true, supportsMd5: true, needsBmcKey: false },
  });
});

test('no truncated packet decodes, and none with a wrong checksum', () => {
  for (const [whole, decode] of [
    [request, decodeRequest],
    [response, decodeResponse],
  ] as const) {
    for (let length = 0; length < whole.length; length++) {
      const rmcp = decodeRmcp(whole.subarray(0, length));
      const packet = rmcp.ok ? decodeSessionPacket(rmcp.value.body) : rmcp;
      assert.ok(!packet.ok, `${length}`);
    }
    const message = whole.subarray(14);
    for (let index = 0; index < message.length; index++) {
      const wrong = message.slice();
      wrong[index]! ^= 0x10;
      assert.ok(!decode(wrong).ok, `byte ${index}`);
    }
  }
});

test('RMCP of another version or class, and datagrams that no BMC sends, are refused', () => {
  const codeOf = (bytes: Uint8Array): string => {
    const read = decodeRmcp(bytes);
    return read.ok ? '' : read.error.code;
  };
  assert.equal(codeOf(Uint8Array.of(5, 0, 0xff, 7)), 'wrong-version');
  assert.equal(codeOf(Uint8Array.of(6, 0, 0xff, 0x87)), 'unknown-class');
  assert.equal(codeOf(new Uint8Array(DATAGRAM_BYTES_MAX + 1)), 'too-long');
});

test('a presence ping and its pong have the bytes of section 13.2.3', () => {
  const ping = encodeAsf({ kind: 'ping', tag: 0x12 });
  assert.equal(bytesToHex(ping), '000011be80120000');
  const pong = encodeAsf({ kind: 'pong', tag: 0x12, supportsIpmi: true });
  assert.equal(bytesToHex(pong), '000011be40120010000011be000000008100000000000000');
  assert.deepEqual(decodeAsf(ping), { ok: true, value: { kind: 'ping', tag: 0x12 } });
  for (let length = 0; length < ping.length; length++) assert.ok(!decodeAsf(pong.subarray(0, length)).ok);
});

test('requests and answers return from their bytes, with the addresses swapped', () => {
  const sent = { netFn: 6, command: 0x48, bytes: Uint8Array.of(1, 2, 3) };
  const read = decodeRequest(encodeRequest(sent, 63));
  assert.ok(read.ok);
  assert.equal(read.value.sequence, 63);
  const answer = decodeResponse(
    encodeResponse(read.value, { completionCode: 0xd4, bytes: Uint8Array.of(9) }),
  );
  assert.deepEqual(answer, {
    ok: true,
    value: { netFn: 6, command: 0x48, sequence: 63, completionCode: 0xd4, bytes: Uint8Array.of(9) },
  });
});

test('records of cipher suites have their ids, and those of vendors are skipped', () => {
  // What ipmi_sim answers first: suites 0, 1 and 2.
  const records = [0xc0, 0x00, 0x00, 0x40, 0x80, 0xc0, 0x01, 0x01, 0x40, 0x80, 0xc0, 0x02, 0x01, 0x41, 0x80];
  const vendor = [0xc1, 0x80, 0xc0, 0x11, 0x00, 0x01, 0x41, 0x81];
  assert.deepEqual(cipherSuiteIdsIn(Uint8Array.of(...vendor, ...records, 0xc0)), [0, 1, 2]);
  assert.deepEqual(cipherSuiteIdsIn(encodeCipherSuiteRecords(cipherSuites)), [17, 3]);
});
