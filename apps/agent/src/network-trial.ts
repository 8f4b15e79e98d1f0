/** What the server asks this agent to try, and what became of it, as messages. */
import { create } from '@bufbuild/protobuf';
import {
  ServerPort_Asks as Asks,
  TriedPort_Outcome as Outcome,
  TriedRequestSchema,
  type Trial,
  type TriedRequest,
} from '@tinkerbell/api/agent-v1';
import type { NetworkTrial, NetworkTrialResult, ServerPort, TriedPort } from '@tinkerbell/platform-contract';

const PORTS_MAX = 16;
const ADDRESSES_MAX = 16;

const asksBy: Readonly<Record<number, ServerPort['asks']>> = {
  [Asks.TCP]: 'tcp',
  [Asks.TFTP]: 'tftp',
  [Asks.DHCP]: 'dhcp',
};

const outcomes: Readonly<Record<TriedPort['outcome'], Outcome>> = {
  answered: Outcome.ANSWERED,
  silent: Outcome.SILENT,
  untried: Outcome.UNTRIED,
};

/** Leaves out what this agent cannot ask. */
export function trialIn({ host, ports, addresses }: Trial): NetworkTrial {
  const known = ports.slice(0, PORTS_MAX).flatMap(({ name, asks: number, port }): readonly ServerPort[] => {
    const asks = asksBy[number];
    return asks === undefined ? [] : [{ name, asks, port }];
  });
  return { host, ports: known, addresses: addresses.slice(0, ADDRESSES_MAX) };
}

export function triedRequest(
  sessionId: string,
  id: string,
  { ports, holders }: NetworkTrialResult,
): TriedRequest {
  return create(TriedRequestSchema, {
    sessionId,
    id,
    ports: ports.map((port) => ({
      name: port.name,
      outcome: outcomes[port.outcome],
      reason: port.outcome === 'answered' ? '' : port.reason,
    })),
    holders: [...holders].map(([address, { mac = '' }]) => ({ address, mac })),
  });
}
