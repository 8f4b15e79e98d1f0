/** A simulated Intel AMT, and the driver that controls it. */
import {
  createNodeHttpClient,
  nodeClock,
  nodeRandom,
  openNodeEndpointHttp,
  openNodeEndpointStream,
} from '@tinkerbell/platform-node';
import type { Clock } from '@tinkerbell/platform-contract';
import {
  AmtSimulator,
  PlainRedfishMachine,
  type AmtDriveSession,
  type AmtLies,
} from '@tinkerbell/sandbox/bmc';
import { createAmtDriver } from '../amt/amt-driver.ts';
import type { AmtOptions } from '../amt/amt-deps.ts';
import { nodeDigestHash } from '../amt/node-digest.ts';
import type { BmcDriver, BmcSession, BmcTarget } from '../driver.ts';
import { PASSWORD, tls } from './redfish-rack.ts';

export interface AmtRack extends AsyncDisposable {
  readonly machine: PlainRedfishMachine;
  readonly amt: AmtSimulator;
  readonly driver: BmcDriver<AmtOptions>;
  readonly target: BmcTarget;
  readonly open: (changes?: Partial<BmcTarget>, options?: AmtOptions) => Promise<BmcSession>;
}

interface AmtRackOptions {
  readonly isSecure?: boolean;
  readonly clock?: Clock;
}

export async function amtRack(
  lies: AmtLies = {},
  { isSecure = false, clock = nodeClock }: AmtRackOptions = {},
): Promise<AmtRack> {
  const machine = new PlainRedfishMachine();
  const account = { username: 'admin', password: PASSWORD };
  const amt = await AmtSimulator.open({ machine, ...account, ...(isSecure ? { tls } : {}) });
  Object.assign(amt.service.lies, lies);
  const driver = createAmtDriver({
    clock,
    openHttp: openNodeEndpointHttp,
    openStream: openNodeEndpointStream,
    random: nodeRandom,
    hash: nodeDigestHash,
    httpClient: createNodeHttpClient(),
    mayFetch: () => () => true,
  });
  const usual = { host: '127.0.0.1', credentials: account, trust: { kind: 'any' }, timeoutMs: 5000 } as const;
  return {
    machine,
    amt,
    driver,
    target: usual,
    open: (changes = {}, options = {}) =>
      driver.open(
        { ...usual, ...changes },
        { hostScheme: isSecure ? 'https' : 'http', port: amt.port, ...options },
        new AbortController().signal,
      ),
    async [Symbol.asyncDispose]() {
      await driver.close?.();
      await amt[Symbol.asyncDispose]();
    },
  };
}

/** The machine's side of the drive, once it has one other than the last. */
export async function driveOf({ amt }: AmtRack, last?: AmtDriveSession): Promise<AmtDriveSession> {
  for (;;) {
    const { drive } = amt;
    if (drive !== undefined && drive !== last) return drive;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
