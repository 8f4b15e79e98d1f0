/** A simulated Redfish service over TLS, and the driver that controls it. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { openNodeEndpointHttp } from '@tinkerbell/platform-node';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import {
  PlainRedfishMachine,
  RedfishSimulator,
  type RedfishFeatures,
  type RedfishLies,
} from '@tinkerbell/sandbox/bmc';
import { BmcError } from '../bmc-error.ts';
import type { BmcSession, BmcTarget } from '../driver.ts';
import { createRedfishDriver, type RedfishOptions } from '../redfish/redfish-driver.ts';
import { hurriedClock } from './hurried-clock.ts';

export const PASSWORD = 'secret-word';
const key = ecdsaKey('P-256');
export const tls = { key, cert: certificate() };
export const tlsSha256 = new X509Certificate(tls.cert).fingerprint256.replaceAll(':', '').toLowerCase();

function certificate(): string {
  const request = {
    commonName: 'bmc',
    ips: ['127.0.0.1'],
    dnsNames: [],
    daysValid: 1,
    isAuthority: true,
    key,
  };
  const made = certify(request, Date.now());
  assert.ok(made.ok);
  return made.certificate;
}

export interface RedfishRack extends AsyncDisposable {
  readonly machine: PlainRedfishMachine;
  readonly service: RedfishSimulator;
  readonly open: (
    changes?: Partial<BmcTarget>,
    options?: RedfishOptions,
    signal?: AbortSignal,
  ) => Promise<BmcSession>;
}

export async function redfishRack(
  features: RedfishFeatures = {},
  lies: RedfishLies = {},
): Promise<RedfishRack> {
  const machine = new PlainRedfishMachine();
  const account = { username: 'admin', password: PASSWORD };
  const service = await RedfishSimulator.open({ machine, ...account, features, tls });
  Object.assign(service.lies, lies);
  const driver = createRedfishDriver({ clock: hurriedClock(), openHttp: openNodeEndpointHttp });
  const sessions: BmcSession[] = [];
  return {
    machine,
    service,
    async open(changes = {}, options = {}, signal = new AbortController().signal) {
      const target: BmcTarget = {
        host: '127.0.0.1',
        port: service.port,
        credentials: account,
        trust: { kind: 'any' },
        timeoutMs: 10_000,
        ...changes,
      };
      const session = await driver.open(target, options, signal);
      sessions.push(session);
      return session;
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** The failure of a promise, which shows no credentials. */
export async function failureOf(promise: Promise<unknown>): Promise<BmcError> {
  const thrown = await promise.then(
    () => assert.fail('succeeds'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof BmcError, String(thrown));
  assert.ok(!`${thrown.message} ${thrown.stack}`.includes(PASSWORD), 'shows no credentials');
  return thrown;
}
