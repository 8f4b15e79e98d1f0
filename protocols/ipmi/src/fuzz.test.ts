/**
 * Mutated packets never make a decoder, the login, a session or the responder throw, and never grow the responder. A run by hand has
 * more of them: IPMI_FUZZ_PACKETS=1000000 node --test protocols/ipmi/src/fuzz.test.ts
 */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hexToBytes } from '@tinkerbell/wire';
import * as ipmi from './index.ts';
import { decodeOpenSessionRequest, decodeOpenSessionResponse } from './session/open-session.ts';
import { decodeRakp1, decodeRakp2, decodeRakpProof } from './session/rakp-message.ts';
import { RESPONDER_SESSIONS_MAX } from './responder/responder.ts';
import { decodeActivated, decodeChallenge } from './commands/challenge-commands.ts';
import { decodeRequest, decodeResponse } from './message/ipmi-message.ts';
import { cipherSuiteIdsIn } from './session/cipher-suite.ts';
import { ANSWER, answerOfOldBmc, FIRST, oldLogin } from './testing/old-bmc.ts';
import { mutated, numbersFrom } from './testing/mutations.ts';

const PACKETS = Number(process.env['IPMI_FUZZ_PACKETS'] ?? 20_000);
const SEED = Number(process.env['IPMI_FUZZ_SEED'] ?? 1);

const crypto: ipmi.IpmiCrypto = {
  hmac: (algorithm, key, bytes) => new Uint8Array(createHmac(algorithm, key).update(bytes).digest()),
  md5: (bytes) => new Uint8Array(createHash('md5').update(bytes).digest()),
  aesCbcEncrypt: (key, iv, bytes) =>
    new Uint8Array(createCipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
  aesCbcDecrypt: (key, iv, bytes) =>
    new Uint8Array(createDecipheriv('aes-128-cbc', key, iv).setAutoPadding(false).update(bytes)),
};

const captured = [3, 17].flatMap((suite) =>
  readFileSync(new URL(`../testdata/ipmitool-suite-${suite}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^[<>]/.test(line))
    .map((line) => hexToBytes(line.slice(2))!),
);

const decoders: readonly ((bytes: Uint8Array) => unknown)[] = [
  ipmi.decodeRmcp,
  ipmi.decodeAsf,
  ipmi.decodeSessionPacket,
  decodeOpenSessionRequest,
  decodeOpenSessionResponse,
  decodeRakp1,
  decodeRakp2,
  decodeRakpProof,
  decodeRequest,
  decodeResponse,
  decodeChallenge,
  decodeActivated,
  cipherSuiteIdsIn,
  ipmi.decodeDeviceId,
  ipmi.decodeChassisStatus,
  ipmi.decodeBootFlags,
  ipmi.decodeBootParameter,
  ipmi.decodeActivatedSol,
  ipmi.decodeSol,
  ipmi.decodeInventoryArea,
  ipmi.decodeInventoryBytes,
  ipmi.decodeInventoryRange,
  ipmi.decodeInventory,
  ipmi.decodeEventLogInfo,
  ipmi.decodeEventEntry,
  ipmi.decodeEventRecord,
  ipmi.decodeSensorRecord,
  ipmi.decodeSensorRecordPart,
  ipmi.decodeSensorRecordRange,
  ipmi.decodeSensorReading,
];

test(`no decoder throws on ${PACKETS} mutated inputs (seed ${SEED})`, () => {
  const next = numbersFrom(SEED);
  const inventory = ipmi.encodeInventory({
    chassis: { type: 1, partNumber: 'abc' },
    board: { name: 'board', serialNumber: '123' },
    product: { name: 'product', assetTag: 'tag' },
  });
  const factors = { format: 'unsigned', m: 1, b: 0, bExponent: 0, resultExponent: 0 } as const;
  const sensor = { recordId: 1, sensorNumber: 1, sensorType: 1, unit: 1, name: 'sensor', factors };
  const inputs = [
    ...captured,
    ...captured.map((bytes) => bytes.subarray(4)),
    inventory,
    ipmi.encodeSensorRecord(sensor),
  ];
  for (let count = 0; count < PACKETS; count++) {
    const bytes = mutated(inputs[next(inputs.length)]!, next);
    decoders[count % decoders.length]!(bytes);
  }
});

const settings: ipmi.ResponderSettings = {
  accounts: [{ username: 'admin', password: 'secret', privilege: 4 }],
  guid: new Uint8Array(16),
  suites: ipmi.cipherSuites,
};

test(`login, session and responder survive ${PACKETS} mutated packets (seed ${SEED})`, () => {
  const next = numbersFrom(SEED + 1);
  const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next(256));
  let responder = ipmi.createResponder(settings);
  let nowMs = 0;
  let established = 0;
  const newLogin = (): ipmi.LoginStep => {
    const identity = { username: 'admin', password: 'secret', privilege: 4, timeoutMs: 9_000 };
    return ipmi.startLogin({ ...identity, clientId: 1 + next(1e9), clientRandom: randomBytes(16) });
  };
  let login = newLogin();
  let client: ipmi.ClientSession | undefined;
  let stream = ipmi.startSolStream({ side: 'client', charactersMax: 8, timeoutMs: 5_000 });
  for (let count = 0; count < PACKETS; count++) {
    const sends = client === undefined ? login.sends : sendOf(client);
    const given = sends[0] ?? captured[next(captured.length)]!;
    const toBmc = next(2) === 0 ? given : mutated(given, next);
    const datagram = { peer: 'p', bytes: toBmc, nowMs: (nowMs += next(200)), entropy: randomBytes(20) };
    const answered = ipmi.stepResponder(responder, datagram, crypto);
    responder = answered.responder;
    assert.ok(responder.sessions.length <= RESPONDER_SESSIONS_MAX);
    const answer = answered.sends[0] ?? captured[next(captured.length)]!;
    const bytes = next(2) === 0 ? answer : mutated(answer, next);
    if (client === undefined) {
      const event =
        answered.sends.length === 0 ? ({ kind: 'timeout' } as const) : ({ kind: 'datagram', bytes } as const);
      const stepped = ipmi.stepLogin(login.login, event, crypto);
      login = stepped.sends.length === 0 ? { ...stepped, sends: login.sends } : stepped;
      if (stepped.outcome?.kind === 'established') {
        client = ipmi.createClientSession(stepped.outcome.session);
        established += 1;
      } else if (stepped.outcome !== undefined) login = newLogin();
    } else {
      client = ipmi.stepClient(client, { kind: 'datagram', bytes }, crypto).client;
      if (next(20) === 0) [client, login] = [undefined, newLogin()];
    }
    const sol = ipmi.stepSolStream(stream, { kind: 'packet', payload: bytes.subarray(4) });
    stream = sol.outcome === undefined ? sol.stream : ipmi.startSolStream(stream);
  }
  assert.ok(
    established > PACKETS / 1_000,
    `${established} logins ended well, so the rest of the code was reached`,
  );

  function sendOf(current: ipmi.ClientSession): readonly Uint8Array[] {
    const step = ipmi.startRequest(current, { request: ipmi.deviceIdRequest, timeoutMs: 1_000 }, crypto);
    client = step.client;
    return step.sends;
  }
});

test(`login and session of IPMI 1.5 survive ${PACKETS} mutated packets (seed ${SEED})`, () => {
  const next = numbersFrom(SEED + 2);
  let login = ipmi.startLogin(oldLogin);
  let client: ipmi.ClientSession | undefined;
  let [established, answered, sequence] = [0, 0, FIRST];
  for (let count = 0; count < PACKETS; count++) {
    const request = { request: ipmi.chassisStatusRequest, timeoutMs: 1_000 };
    const started = client && ipmi.startRequest(client, request, crypto);
    const [datagram] = started?.sends ?? login.sends;
    const answer =
      datagram === undefined
        ? captured[next(captured.length)]!
        : answerOfOldBmc(datagram, { crypto, sequence });
    const bytes = next(2) === 0 ? answer : mutated(answer, next);
    if (started === undefined) {
      const event = next(8) === 0 ? ({ kind: 'timeout' } as const) : ({ kind: 'datagram', bytes } as const);
      const stepped = ipmi.stepLogin(login.login, event, crypto);
      login = stepped.sends.length === 0 ? { ...stepped, sends: login.sends } : stepped;
      if (stepped.outcome?.kind === 'established') {
        client = ipmi.createClientSession(stepped.outcome.session);
        established += 1;
        sequence = FIRST;
      }
      if (stepped.outcome !== undefined) login = ipmi.startLogin(oldLogin);
      continue;
    }
    const stepped = ipmi.stepClient(started.client, { kind: 'datagram', bytes }, crypto);
    const response = stepped.outcome?.response;
    if (response !== undefined) {
      assert.deepEqual(response.bytes, ANSWER, 'only what the BMC has signed');
      answered += 1;
      sequence += 1;
    }
    client = response === undefined || next(20) === 0 ? undefined : stepped.client;
  }
  assert.ok(
    established > PACKETS / 100 && answered > PACKETS / 100,
    `${established} logins, ${answered} answers`,
  );
});
