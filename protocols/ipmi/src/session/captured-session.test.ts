/** Whole sessions of ipmitool, recorded between it and a BMC. */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bytesToHex, encodeUtf8, hexToBytes, type Decoded } from '@tinkerbell/wire';
import type { IpmiCrypto } from '../crypto.ts';
import { decodeRequest, decodeResponse } from '../message/ipmi-message.ts';
import { decodeRmcp } from '../packet/rmcp.ts';
import { decodeSessionPacket, payloadType, type SessionPacket } from '../packet/session-packet.ts';
import { cipherSuiteWithId } from './cipher-suite.ts';
import { keyCodesOf } from './key-exchange.ts';
import { decodeOpenSessionRequest, decodeOpenSessionResponse } from './open-session.ts';
import { openPacket, sealPayload, type Session } from './protection.ts';
import { decodeRakp1, decodeRakp2, decodeRakpProof } from './rakp-message.ts';
import { emptyWindow } from './sequence-window.ts';

const crypto: IpmiCrypto = {
  hmac: (algorithm, key, bytes) => new Uint8Array(createHmac(algorithm, key).update(bytes).digest()),
  md5: (bytes) => new Uint8Array(createHash('md5').update(bytes).digest()),
  aesCbcEncrypt: (key, iv, bytes) =>
    new Uint8Array(createCipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
  aesCbcDecrypt: (key, iv, bytes) =>
    new Uint8Array(createDecipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
};

function valueOf<Value>(read: Decoded<Value>): Value {
  assert.ok(read.ok, read.ok ? '' : read.error.message);
  return read.value;
}

function packetsOf(suiteId: number): SessionPacket[] {
  const file = new URL(`../../testdata/ipmitool-suite-${suiteId}.txt`, import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => /^[<>]/.test(line))
    .map((line) => valueOf(decodeSessionPacket(valueOf(decodeRmcp(hexToBytes(line.slice(2))!)).body)));
}

function sessionsOf(packets: readonly SessionPacket[], suiteId: number) {
  const suite = cipherSuiteWithId(suiteId)!;
  const payloadOf = (type: number): Uint8Array =>
    packets.find((packet) => packet.kind === 'extended' && packet.payloadType === type)!.payload;
  const request = valueOf(decodeOpenSessionRequest(payloadOf(payloadType.openSessionRequest)));
  const response = valueOf(decodeOpenSessionResponse(payloadOf(payloadType.openSessionResponse)));
  const rakp1 = valueOf(decodeRakp1(payloadOf(payloadType.rakp1)));
  const rakp2 = valueOf(decodeRakp2(payloadOf(payloadType.rakp2)));
  const rakp3 = valueOf(decodeRakpProof(payloadOf(payloadType.rakp3)));
  const rakp4 = valueOf(decodeRakpProof(payloadOf(payloadType.rakp4)));
  const { clientId } = request;
  const { bmcId } = response.accepted!;
  const { clientRandom, role, username } = rakp1;
  const { bmcRandom, bmcGuid, code } = rakp2.proof!;
  const codes = keyCodesOf(
    { clientId, bmcId, clientRandom, bmcRandom, bmcGuid, role, username },
    { suite, password: encodeUtf8('secret') },
    crypto,
  );
  assert.equal(bytesToHex(code), bytesToHex(codes.rakp2), 'RAKP message 2');
  assert.equal(bytesToHex(rakp3.code), bytesToHex(codes.rakp3), 'RAKP message 3');
  assert.equal(bytesToHex(rakp4.code), bytesToHex(codes.rakp4), 'RAKP message 4');
  const common = { version: '2.0', suite, keys: codes.keys, sent: 0, received: emptyWindow } as const;
  const client: Session = { ...common, side: 'client', localId: clientId, remoteId: bmcId };
  const bmc: Session = { ...common, side: 'bmc', localId: bmcId, remoteId: clientId };
  const both: { client: Session; bmc: Session } = { client, bmc };
  return both;
}

for (const suiteId of [3, 17]) {
  test(`a session of ipmitool with cipher suite ${suiteId} decodes, with its digests and its messages`, () => {
    const packets = packetsOf(suiteId);
    let { client, bmc } = sessionsOf(packets, suiteId);
    const commands: string[] = [];
    for (const packet of packets) {
      if (packet.kind === 'plain' || packet.sessionId === 0) continue;
      const isToBmc = packet.sessionId === bmc.localId;
      const opened = openPacket(isToBmc ? bmc : client, packet, crypto);
      assert.ok(opened.ok, opened.ok ? '' : opened.reason);
      if (isToBmc) bmc = opened.session;
      else client = opened.session;
      const { bytes } = opened.payload;
      const { netFn, command } = isToBmc ? valueOf(decodeRequest(bytes)) : valueOf(decodeResponse(bytes));
      commands.push(`${isToBmc ? '>' : '<'} ${netFn}/${command.toString(16)}`);
    }
    assert.deepEqual(commands.slice(0, 2), ['> 6/3b', '< 6/3b'], 'Set Session Privilege Level');
    assert.ok(commands.includes('< 0/1'), 'Get Chassis Status');
    assert.equal(commands.at(-1), '< 6/3c', 'Close Session');
  });

  test(`a recorded packet of cipher suite ${suiteId} with one changed bit is refused`, () => {
    const packets = packetsOf(suiteId);
    const { bmc } = sessionsOf(packets, suiteId);
    const packet = packets.find(({ sessionId }) => sessionId === bmc.localId)!;
    assert.ok(packet.kind === 'extended');
    for (let bit = 16; bit < packet.raw.length * 8; bit += 1) {
      const raw = packet.raw.slice();
      raw[bit >> 3]! ^= 1 << (bit & 7);
      const changed = decodeSessionPacket(raw);
      if (!changed.ok || changed.value.kind === 'plain') continue;
      assert.ok(!openPacket(bmc, changed.value, crypto).ok, `bit ${bit}`);
    }
  });

  test(`payloads of every length pass through cipher suite ${suiteId}`, () => {
    let { client, bmc } = sessionsOf(packetsOf(suiteId), suiteId);
    for (let length = 0; length <= 70; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => index);
      const sealed = sealPayload(client, { type: payloadType.sol, bytes }, crypto);
      client = sealed.session;
      const packet = valueOf(decodeSessionPacket(valueOf(decodeRmcp(sealed.datagram)).body));
      assert.ok(packet.kind === 'extended');
      const opened = openPacket(bmc, packet, crypto);
      assert.ok(opened.ok);
      assert.deepEqual(opened.payload, { type: payloadType.sol, bytes });
      assert.deepEqual(openPacket(opened.session, packet, crypto), { ok: false, reason: 'replayed-packet' });
      bmc = opened.session;
    }
  });
}
