/** Answers that are spoiled at random: the driver fails with a BmcError or succeeds, and asks a bounded number of times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointHttp } from '@tinkerbell/platform-contract';
import { PlainRedfishMachine, RedfishService } from '@tinkerbell/sandbox/bmc';
import { BmcError } from '../bmc-error.ts';
import type { BmcSession, BmcTarget } from '../driver.ts';
import { hurriedClock } from '../testing/hurried-clock.ts';
import { createRedfishDriver } from './redfish-driver.ts';

const ROUNDS = Number(process.env['REDFISH_FUZZ_ROUNDS'] ?? 150);
const REQUESTS_MAX = 400;
const target: BmcTarget = {
  host: '192.0.2.9',
  credentials: { username: 'admin', password: 'secret' },
  trust: { kind: 'any' },
  timeoutMs: 5000,
};

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

const odd: readonly unknown[] = [
  null,
  0,
  -1.5,
  1e300,
  '',
  'x',
  '/redfish/v1',
  '//evil/x',
  [],
  {},
  [null],
  [{ '@odata.id': '/redfish/v1' }],
  true,
];

/** Replaces values of a parsed answer. */
function spoil(value: unknown, below: (limit: number) => number): unknown {
  if (below(25) === 0) return odd[below(odd.length)];
  if (Array.isArray(value)) return value.map((one) => spoil(one, below));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoil(one, below)]));
}

function spoiledHttp(below: (limit: number) => number) {
  const service = new RedfishService({
    machine: new PlainRedfishMachine(),
    ...target.credentials,
  });
  const statuses = [200, 202, 204, 400, 401, 403, 404, 409, 412, 428, 500, 503];
  const http: EndpointHttp = {
    async request(url, { method, headers = {}, body = '' }) {
      assert.equal(url.host, target.host, 'no request leaves the host');
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
      const request = { method, target: url.pathname + url.search, body, headers: Object.fromEntries(lower) };
      const answer = await service.respond(request);
      const status = below(40) === 0 ? (statuses[below(statuses.length)] ?? 200) : answer.status;
      const text = answer.fields === undefined ? '' : JSON.stringify(spoil(answer.fields, below));
      const cut = below(60) === 0 ? text.slice(0, below(text.length + 1)) : text;
      return { status, headers: new Headers(answer.headers), body: cut };
    },
    certificateSha256: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { service, http };
}

const uses: readonly ((session: BmcSession) => Promise<unknown> | undefined)[] = [
  (session) => session.powerState(),
  (session) => session.setPower('cycle'),
  (session) => session.setBootDevice?.({ device: 'pxe', persistent: false, efiBoot: false }),
  (session) => session.bootDevice?.(),
  (session) => session.setVirtualMedia?.('http://192.0.2.1/a.iso'),
  (session) => session.virtualMedia?.(),
  (session) => session.inventory?.(),
];

test('spoiled answers never cause another exception', async () => {
  let successes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { service, http } = spoiledHttp(numbers(round + 1));
    const driver = createRedfishDriver({ clock: hurriedClock(), openHttp: () => http });
    for (const use of uses) {
      const before = service.requests.length;
      try {
        await using session = await driver.open(target, {}, new AbortController().signal);
        await use(session);
        successes += 1;
      } catch (thrown) {
        if (!(thrown instanceof BmcError)) throw thrown;
      }
      assert.ok(service.requests.length - before < REQUESTS_MAX, `round ${round}`);
    }
  }
  assert.ok(successes > ROUNDS / 10, `${successes} operations succeed in spite of it`);
});
