/** The login of the client against the responder, which plays the BMC. */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { decodeChassisStatus, chassisStatusRequest, chassisControlRequest } from '../commands/chassis.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { decodeAsf, encodeAsf } from '../packet/asf.ts';
import { decodeRmcp, encodeRmcp } from '../packet/rmcp.ts';
import { encodeExtendedPacket, payloadType } from '../packet/session-packet.ts';
import { answerRequest, stepResponder } from '../responder/responder-requests.ts';
import {
  createResponder,
  RESPONDER_SESSIONS_MAX,
  SESSION_TIMEOUT_MS,
  type Responder,
  type ResponderSettings,
  type ResponderStep,
} from '../responder/responder.ts';
import { cipherSuites, cipherSuiteWithId } from './cipher-suite.ts';
import {
  createClientSession,
  startRequest,
  stepClient,
  type ClientSession,
  type ClientStep,
} from './client-session.ts';
import { stepLogin } from './login-answers.ts';
import { startLogin, type LoginOutcome, type LoginSettings, type LoginStep } from './login.ts';
import { encodeOpenSessionResponse } from './open-session.ts';
import { encodeRakp2 } from './rakp-message.ts';
import { rakpStatus } from './rakp-status.ts';
import { repeatWaits } from './repeat-waits.ts';

const crypto: IpmiCrypto = {
  hmac: (algorithm, key, bytes) => new Uint8Array(createHmac(algorithm, key).update(bytes).digest()),
  md5: (bytes) => new Uint8Array(createHash('md5').update(bytes).digest()),
  aesCbcEncrypt: (key, iv, bytes) =>
    new Uint8Array(createCipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
  aesCbcDecrypt: (key, iv, bytes) =>
    new Uint8Array(createDecipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
};
const bmcSettings: ResponderSettings = {
  accounts: [
    { username: 'admin', password: 'secret', privilege: 4 },
    { username: 'watcher', password: 'secret', privilege: 2 },
  ],
  guid: new Uint8Array(16).fill(9),
  suites: cipherSuites,
};
const given: LoginSettings = {
  username: 'admin',
  password: 'secret',
  privilege: 4,
  clientId: 0xa0a1a2a3,
  clientRandom: new Uint8Array(16).fill(5),
  timeoutMs: 10_000,
};

class Bmc {
  responder: Responder;
  nowMs = 0;
  #count = 0;

  constructor(settings: Partial<ResponderSettings> = {}) {
    this.responder = createResponder({ ...bmcSettings, ...settings });
  }

  receive(bytes: Uint8Array): ResponderStep {
    this.#count += 1;
    const entropy = new Uint8Array(20).fill(this.#count);
    const step = stepResponder(this.responder, { peer: 'p', bytes, nowMs: this.nowMs, entropy }, crypto);
    this.responder = step.responder;
    return step;
  }
}

type Fate = (index: number) => 'deliver' | 'lose' | 'duplicate';

function logInTo(
  bmc: Bmc,
  settings: Partial<LoginSettings> = {},
  fate: Fate = () => 'deliver',
): LoginOutcome {
  let step: LoginStep = startLogin({ ...given, ...settings });
  let count = 0;
  for (let turn = 0; turn < 200; turn++) {
    const answers = step.sends.flatMap((bytes) => {
      const what = fate(count++);
      if (what === 'lose') return [];
      const sends = [...bmc.receive(bytes).sends];
      return what === 'duplicate' ? [...sends, ...bmc.receive(bytes).sends] : sends;
    });
    const arrived = answers.filter(() => fate(count++) !== 'lose');
    if (arrived.length === 0) step = stepLogin(step.login, { kind: 'timeout' }, crypto);
    const sends: Uint8Array[] = arrived.length === 0 ? [...step.sends] : [];
    for (const bytes of arrived) {
      if (step.outcome !== undefined) break;
      step = stepLogin(step.login, { kind: 'datagram', bytes }, crypto);
      sends.push(...step.sends);
    }
    if (step.outcome !== undefined) return step.outcome;
    step = { ...step, sends };
  }
  return assert.fail('the login does not end');
}

function clientOf(bmc: Bmc, settings: Partial<LoginSettings> = {}): ClientSession {
  const outcome = logInTo(bmc, settings);
  assert.ok(outcome.kind === 'established', outcome.kind === 'failed' ? outcome.failure.detail : '');
  return createClientSession(outcome.session);
}

function failureOf(outcome: LoginOutcome): string {
  return outcome.kind === 'failed' ? outcome.failure.reason : outcome.kind;
}

function suiteIdOf(outcome: LoginOutcome): number | undefined {
  const isNew = outcome.kind === 'established' && outcome.session.version === '2.0';
  return isNew ? outcome.session.suite.id : undefined;
}

test('a client logs in with each suite, and prefers 17', () => {
  for (const id of [undefined, 17, 3]) {
    const suite = id === undefined ? undefined : cipherSuiteWithId(id);
    const outcome = logInTo(new Bmc(), suite === undefined ? {} : { suite });
    assert.equal(suiteIdOf(outcome), id ?? 17);
  }
  const onlyOld = logInTo(new Bmc({ suites: [cipherSuiteWithId(3)!] }));
  assert.equal(suiteIdOf(onlyOld), 3);
});

test('a login survives any packet that is lost or duplicated once', () => {
  for (let lost = 0; lost < 14; lost++) {
    for (const what of ['lose', 'duplicate'] as const) {
      const outcome = logInTo(new Bmc(), {}, (index) => (index === lost ? what : 'deliver'));
      assert.equal(outcome.kind, 'established', `${what} ${lost}`);
    }
  }
});

test('wrong credentials have their reason', () => {
  assert.equal(failureOf(logInTo(new Bmc(), { password: 'wrong' })), 'wrong-password');
  const unknown = logInTo(new Bmc(), { username: 'nobody' });
  assert.ok(unknown.kind === 'failed' && unknown.failure.reason === 'refused');
  assert.equal(unknown.failure.status, rakpStatus.unauthorizedName);
  const tooMuch = logInTo(new Bmc(), { username: 'watcher' });
  assert.ok(tooMuch.kind === 'failed' && tooMuch.failure.reason === 'refused');
  assert.equal(tooMuch.failure.status, rakpStatus.unauthorizedRole);
});

test('a BMC that is silent from the start differs from one that stops', () => {
  assert.equal(failureOf(logInTo(new Bmc(), {}, () => 'lose')), 'no-answer');
  const stops: Fate = (index) => (index < 4 ? 'deliver' : 'lose');
  assert.equal(failureOf(logInTo(new Bmc(), {}, stops)), 'stopped-answering');
});

test('a BMC that does not list its suites is asked for 17 and then for 3', () => {
  const old = new Bmc({ suites: [cipherSuiteWithId(3)!] });
  const silent: Fate = (index) => (index >= 2 && index <= 3 ? 'lose' : 'deliver');
  const outcome = logInTo(old, {}, silent);
  assert.equal(suiteIdOf(outcome), 3);
});

test('a BMC without a suite that encrypts and authenticates is refused', () => {
  assert.equal(failureOf(logInTo(new Bmc({ suites: [] }))), 'refused');
});

/** Steps a login until its phase, and answers with a datagram of the test. */
function atPhase(phase: LoginStep['login']['phase']): { readonly step: LoginStep; readonly bmc: Bmc } {
  const bmc = new Bmc();
  let step = startLogin({ ...given, suite: cipherSuiteWithId(3)! });
  while (step.login.phase !== phase) {
    const [bytes] = bmc.receive(step.sends[0]!).sends;
    step = stepLogin(step.login, { kind: 'datagram', bytes: bytes! }, crypto);
  }
  return { step, bmc };
}

function loginPacket(type: number, payload: Uint8Array): Uint8Array {
  const outside = { isEncrypted: false, isAuthenticated: false, sessionId: 0, sequence: 0 };
  const body = encodeExtendedPacket({ ...outside, payloadType: type, payload });
  return encodeRmcp({ messageClass: 'ipmi', body });
}

test('other algorithms than the proposed ones are refused: nobody can remove the encryption', () => {
  const { step } = atPhase('open-session');
  for (const weak of [{ confidentiality: 0 }, { integrity: 0 }, { authentication: 0 }]) {
    const algorithms = { authentication: 1, integrity: 1, confidentiality: 1, ...weak };
    const accepted = { privilege: 4, bmcId: 7, algorithms };
    const payload = encodeOpenSessionResponse({ tag: 1, status: 0, clientId: given.clientId, accepted });
    const bytes = loginPacket(payloadType.openSessionResponse, payload);
    const { outcome } = stepLogin(step.login, { kind: 'datagram', bytes }, crypto);
    assert.equal(outcome && failureOf(outcome), 'no-common-cipher-suite');
  }
});

test('answers for another login, and packets of strangers, are ignored', () => {
  const { step, bmc } = atPhase('rakp-2');
  const refusal = { status: rakpStatus.unauthorizedName, clientId: given.clientId };
  const strangers = [
    loginPacket(payloadType.rakp2, encodeRakp2({ tag: 99, ...refusal })),
    loginPacket(payloadType.rakp2, encodeRakp2({ tag: 2, ...refusal, clientId: 1 })),
    loginPacket(payloadType.rakp4, encodeRakp2({ tag: 2, ...refusal })),
    Uint8Array.of(6, 0, 255),
    new Uint8Array(2_000),
  ];
  for (const bytes of strangers) {
    const next = stepLogin(step.login, { kind: 'datagram', bytes }, crypto);
    assert.notEqual(next.ignored, undefined);
    assert.equal(next.outcome, undefined);
    assert.equal(next.timeoutMs, undefined, 'the timer continues');
  }
  const [answer] = bmc.receive(step.sends[0]!).sends;
  assert.equal(stepLogin(step.login, { kind: 'datagram', bytes: answer! }, crypto).login.phase, 'rakp-4');
});

test('a refusal for another client is ignored, and one without a client counts', () => {
  const { step } = atPhase('open-session');
  const refusal = { tag: 1, status: rakpStatus.noResources };
  const stepWith = (payload: Uint8Array): LoginStep => {
    const bytes = loginPacket(payloadType.openSessionResponse, payload);
    return stepLogin(step.login, { kind: 'datagram', bytes }, crypto);
  };
  assert.equal(stepWith(encodeOpenSessionResponse({ ...refusal, clientId: 1 })).outcome, undefined);
  const whole = encodeOpenSessionResponse({ ...refusal, clientId: given.clientId });
  for (const payload of [whole, whole.subarray(0, 2)])
    assert.equal(stepWith(payload).outcome?.kind, 'failed');
});

test('a wrong digest in RAKP message 4 is not a wrong password', () => {
  const { step, bmc } = atPhase('rakp-4');
  const bytes = bmc.receive(step.sends[0]!).sends[0]!.slice();
  bytes[bytes.length - 1]! ^= 1;
  const { outcome } = stepLogin(step.login, { kind: 'datagram', bytes }, crypto);
  assert.equal(outcome && failureOf(outcome), 'wrong-final-digest');
});

test('a login that only got broken packets reports what was wrong with them', () => {
  const { step } = atPhase('rakp-2');
  const bytes = loginPacket(payloadType.rakp2, Uint8Array.of(2, 0, 0, 0, 1));
  let next = stepLogin(step.login, { kind: 'datagram', bytes }, crypto);
  while (next.outcome === undefined) next = stepLogin(next.login, { kind: 'timeout' }, crypto);
  assert.ok(next.outcome.kind === 'failed');
  assert.equal(next.outcome.failure.reason, 'invalid-answer');
  assert.match(next.outcome.failure.detail, /client session id/);
});

test('waits double, and add up to the limit', () => {
  assert.deepEqual(repeatWaits(10_000), [1_000, 2_000, 7_000 - 3_000, 3_000]);
  assert.deepEqual(repeatWaits(500), [500]);
  for (const limit of [1, 999, 1_000, 1_600, 60_000])
    assert.equal(
      repeatWaits(limit).reduce((sum, wait) => sum + wait, 0),
      limit,
    );
});

function ask(client: ClientSession, mayRepeat = true): ClientStep {
  return startRequest(client, { request: chassisStatusRequest, timeoutMs: 3_000, mayRepeat }, crypto);
}

/** Lets the BMC perform the request of a step, and returns its answers. */
function perform(bmc: Bmc, bytes: Uint8Array, completionCode = 0): readonly Uint8Array[] {
  const { request, sends } = bmc.receive(bytes);
  if (request === undefined) return sends;
  const response = { completionCode, bytes: Uint8Array.of(1, 0, 0) };
  const step = answerRequest(bmc.responder, { request, response }, crypto);
  bmc.responder = step.responder;
  return step.sends;
}

test('a request has its answer, once', () => {
  const bmc = new Bmc();
  const asked = ask(clientOf(bmc));
  const [bytes] = perform(bmc, asked.sends[0]!);
  const answered = stepClient(asked.client, { kind: 'datagram', bytes: bytes! }, crypto);
  const status = decodeChassisStatus(answered.outcome!.response!.bytes);
  assert.ok(status.ok && status.value.isPowered);
  const again = stepClient(answered.client, { kind: 'datagram', bytes: bytes! }, crypto);
  assert.equal(again.ignored, 'replayed-packet');
});

test('a request is repeated with the same number, and the BMC does not perform it twice', () => {
  const bmc = new Bmc();
  const asked = ask(clientOf(bmc));
  assert.equal(perform(bmc, asked.sends[0]!).length, 1);
  const repeated = stepClient(asked.client, { kind: 'timeout' }, crypto);
  const step = bmc.receive(repeated.sends[0]!);
  assert.equal(step.request, undefined);
  const answered = stepClient(repeated.client, { kind: 'datagram', bytes: step.sends[0]! }, crypto);
  assert.equal(answered.outcome?.response?.completionCode, 0);
});

test('a request that must not be repeated is sent once', () => {
  const asked = ask(clientOf(new Bmc()), false);
  assert.equal(asked.timeoutMs, 3_000);
  const over = stepClient(asked.client, { kind: 'timeout' }, crypto);
  assert.deepEqual(over.sends, []);
  assert.deepEqual(over.outcome, { response: undefined });
});

test('a busy BMC is asked again after the wait', () => {
  const bmc = new Bmc();
  const asked = ask(clientOf(bmc));
  const [busy] = perform(bmc, asked.sends[0]!, 0xc0);
  const waiting = stepClient(asked.client, { kind: 'datagram', bytes: busy! }, crypto);
  assert.equal(waiting.outcome, undefined);
  let step = waiting;
  while (step.outcome === undefined) step = stepClient(step.client, { kind: 'timeout' }, crypto);
  assert.equal(step.outcome.response?.completionCode, 0xc0);
});

test('the responder checks privileges, ends silent sessions and answers presence pings', () => {
  const bmc = new Bmc();
  const client = clientOf(bmc);
  const control = startRequest(client, { request: chassisControlRequest('on'), timeoutMs: 1_000 }, crypto);
  const [refused] = bmc.receive(control.sends[0]!).sends;
  const answer = stepClient(control.client, { kind: 'datagram', bytes: refused! }, crypto);
  assert.equal(answer.outcome?.response?.completionCode, 0xd4);
  bmc.nowMs = SESSION_TIMEOUT_MS;
  assert.equal(bmc.receive(encodeRmcp({ messageClass: 'asf', body: Uint8Array.of() })).ended?.length, 1);
  const ping = encodeRmcp({ messageClass: 'asf', body: encodeAsf({ kind: 'ping', tag: 3 }) });
  const pong = decodeRmcp(bmc.receive(ping).sends[0]!);
  assert.ok(pong.ok);
  assert.deepEqual(decodeAsf(pong.value.body), {
    ok: true,
    value: { kind: 'pong', tag: 3, supportsIpmi: true },
  });
});

test('a flood of logins does not grow the responder, nor does it end sessions', () => {
  const bmc = new Bmc();
  const client = clientOf(bmc);
  for (let count = 0; count < 3 * RESPONDER_SESSIONS_MAX; count++) {
    const { step } = { step: atPhase('open-session').step };
    bmc.receive(step.sends[0]!);
  }
  assert.equal(bmc.responder.sessions.length, RESPONDER_SESSIONS_MAX);
  assert.equal(perform(bmc, ask(client).sends[0]!).length, 1);
});
