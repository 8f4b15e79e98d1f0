/** A simulated Intel AMT, and the driver that controls it. */
import {
  nodeClock,
  nodeRandom,
  openNodeEndpointHttp,
  openNodeEndpointStream,
} from '@tinkerbell/platform-node';
import { AmtSimulator, PlainRedfishMachine, type AmtLies } from '@tinkerbell/sandbox/bmc';
import { createAmtDriver } from '../amt/amt-driver.ts';
import type { AmtOptions } from '../amt/amt-deps.ts';
import { nodeDigestHash } from '../amt/node-digest.ts';
import type { BmcSession, BmcTarget } from '../driver.ts';
import { PASSWORD, tls } from './redfish-rack.ts';

export interface AmtRack extends AsyncDisposable {
  readonly machine: PlainRedfishMachine;
  readonly amt: AmtSimulator;
  readonly open: (changes?: Partial<BmcTarget>, options?: AmtOptions) => Promise<BmcSession>;
}

export async function amtRack(lies: AmtLies = {}, { isSecure = false } = {}): Promise<AmtRack> {
  const machine = new PlainRedfishMachine();
  const account = { username: 'admin', password: PASSWORD };
  const amt = await AmtSimulator.open({ machine, ...account, ...(isSecure ? { tls } : {}) });
  Object.assign(amt.service.lies, lies);
  const driver = createAmtDriver({
    clock: nodeClock,
    openHttp: openNodeEndpointHttp,
    openStream: openNodeEndpointStream,
    random: nodeRandom,
    hash: nodeDigestHash,
  });
  const usual = { host: '127.0.0.1', credentials: account, trust: { kind: 'any' }, timeoutMs: 5000 } as const;
  return {
    machine,
    amt,
    open: (changes = {}, options = {}) =>
      driver.open(
        { ...usual, ...changes },
        { hostScheme: isSecure ? 'https' : 'http', port: amt.port, ...options },
        new AbortController().signal,
      ),
    [Symbol.asyncDispose]: () => amt[Symbol.asyncDispose](),
  };
}
