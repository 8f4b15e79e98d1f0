/** IPMI 1.5 where a BMC or a stranger breaks the protocol. `engine/bmc/src/ipmi/ipmi-sim.test.ts` has logins that succeed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { encodeUtf8 } from '@tinkerbell/wire';
import { chassisStatusRequest } from '../commands/chassis.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { decodeRequest, encodeResponse } from '../message/ipmi-message.ts';
import { decodeRmcp, encodeRmcp } from '../packet/rmcp.ts';
import { decodeSessionPacket, encodePlainPacket } from '../packet/session-packet.ts';
import {
  answerOfOldBmc,
  FIRST,
  oldLogin,
  oldPassword as password,
  SESSION,
  type OldBmcFaults,
} from '../testing/old-bmc.ts';
import { createClientSession, startRequest, stepClient, type ClientStep } from './client-session.ts';
import { stepLogin } from './login-answers.ts';
import { startLogin, type LoginOutcome, type LoginStep } from './login.ts';
import { signedDatagram } from './signed-packet.ts';

const never = (): never => assert.fail('IPMI 1.5 needs MD5 only');
const crypto: IpmiCrypto = {
  hmac: never,
  aesCbcEncrypt: never,
  aesCbcDecrypt: never,
  md5: (bytes) => new Uint8Array(createHash('md5').update(bytes).digest()),
};

function logIn(faults: OldBmcFaults = {}): LoginOutcome {
  let step: LoginStep = startLogin(oldLogin);
  for (let turn = 0; turn < 50; turn += 1) {
    const [datagram] = step.sends;
    step =
      datagram === undefined
        ? stepLogin(step.login, { kind: 'timeout' }, crypto)
        : stepLogin(
            step.login,
            { kind: 'datagram', bytes: answerOfOldBmc(datagram, { crypto, faults }) },
            crypto,
          );
    if (step.outcome !== undefined) return step.outcome;
  }
  return assert.fail('the login does not end');
}

const failures: readonly (readonly [faults: OldBmcFaults, reason: string, detail: RegExp])[] = [
  [{ supportsMd5: false }, 'no-ipmi-1.5', /does not offer IPMI 1.5 with MD5/],
  [{ challengeCode: 0x81 }, 'refused', /unknown user name/],
  [{ challengeCode: 0xc1 }, 'no-ipmi-1.5', /./],
  [{ isUnsigned: true }, 'wrong-password', /as after a wrong password/],
  [{ key: encodeUtf8('another') }, 'wrong-password', /as after a wrong password/],
  [{ authenticationType: 0 }, 'no-ipmi-1.5', /enable per-message authentication/],
  [{ activateCode: 0x81 }, 'refused', /no free session/],
  [{ activateCode: 0x86 }, 'refused', /privilege/],
];

for (const [faults, reason, detail] of failures)
  test(`${JSON.stringify(faults)}: ${reason}`, () => {
    const outcome = logIn(faults);
    assert.ok(outcome.kind === 'failed');
    assert.equal(outcome.failure.reason, reason);
    assert.match(outcome.failure.detail, detail);
  });

test('packets of a session count once, with the right digest, from its first number on', () => {
  const outcome = logIn();
  assert.ok(outcome.kind === 'established');
  const started = startRequest(
    createClientSession(outcome.session),
    { request: chassisStatusRequest, timeoutMs: 1000 },
    crypto,
  );
  const [datagram] = started.sends;
  assert.ok(datagram !== undefined);
  const rmcp = decodeRmcp(datagram);
  const packet = rmcp.ok ? decodeSessionPacket(rmcp.value.body) : rmcp;
  const request = packet.ok ? decodeRequest(packet.value.payload) : packet;
  assert.ok(packet.ok && request.ok);
  assert.equal(packet.value.sequence, 1, 'the first number that the BMC wants');
  const payload = encodeResponse(request.value, { completionCode: 0, bytes: Uint8Array.of(1, 0, 0) });
  const send = (bytes: Uint8Array, from = started.client): ClientStep =>
    stepClient(from, { kind: 'datagram', bytes }, crypto);
  const signed = (sequence: number, key = password): Uint8Array =>
    signedDatagram(key, { sessionId: SESSION, sequence, payload }, crypto);
  assert.equal(send(signed(FIRST, encodeUtf8('another'))).ignored, 'wrong-packet-digest');
  assert.equal(send(signed(FIRST - 1)).ignored, 'replayed-packet');
  assert.equal(send(signed(FIRST - 5)).ignored, 'replayed-packet');
  assert.equal(send(signed(FIRST + 100)).ignored, 'packet-outside-window');
  const unsigned = encodeRmcp({ messageClass: 'ipmi', body: encodePlainPacket(payload) });
  assert.equal(send(unsigned).ignored, 'packet-of-another-session');
  const accepted = send(signed(FIRST));
  assert.equal(accepted.outcome?.response?.completionCode, 0);
  assert.equal(send(signed(FIRST), accepted.client).ignored, 'replayed-packet');
});
