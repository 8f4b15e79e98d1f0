/** Trying the ports of a server and addresses of machines from a host: this one, or one on which an agent runs. */
import { parseMac } from '@tinkerbell/wire';
import type { AddressHolder } from './address-probe.ts';

const REASON_CHARACTERS_MAX = 200;

/**
 * A port of a server, and how it is asked. `tcp`: a connection. `tftp`: a request for a file that does not exist. `dhcp`: an INFORM of the
 * host that asks (RFC 2131 section 4.4.3), which changes no lease.
 */
export interface ServerPort {
  /** For a person. */
  readonly name: string;
  readonly asks: 'tcp' | 'tftp' | 'dhcp';
  readonly port: number;
}

/** `untried`: the host could not ask. */
export type TriedPort = ServerPort &
  ({ readonly outcome: 'answered' } | { readonly outcome: 'silent' | 'untried'; readonly reason: string });

export interface NetworkTrial {
  /** An IPv4 address of the server. */
  readonly host: string;
  readonly ports: readonly ServerPort[];
  /** IPv4 addresses, whose holders are looked for. */
  readonly addresses: readonly string[];
}

export interface NetworkTrialResult {
  readonly ports: readonly TriedPort[];
  /** The hosts that have answered, by address. */
  readonly holders: ReadonlyMap<string, AddressHolder>;
}

/** What a host answers that has tried something. It is not trusted to be right or short. */
export interface TrialAnswer {
  readonly ports: readonly {
    readonly name?: unknown;
    readonly outcome?: unknown;
    readonly reason?: unknown;
  }[];
  readonly holders: readonly { readonly address?: unknown; readonly mac?: unknown }[];
}

/** Returns the result that the answer means. What was not asked for is left out. `missing`: the reason of a port without an answer. */
export function trialResult(
  { ports, holders }: TrialAnswer,
  trial: NetworkTrial,
  missing: string,
): NetworkTrialResult {
  const held = trial.addresses.flatMap((address) => {
    const holder = holders.find((one) => one.address === address);
    return holder === undefined ? [] : [[address, holderIn(holder.mac)] as const];
  });
  const tried = trial.ports.map((port): TriedPort => {
    const { outcome, reason = '' } = ports.find(({ name }) => name === port.name) ?? { reason: missing };
    if (outcome === 'answered') return { ...port, outcome };
    const why = String(reason).slice(0, REASON_CHARACTERS_MAX);
    return { ...port, outcome: outcome === 'silent' ? outcome : 'untried', reason: why };
  });
  return { ports: tried, holders: new Map(held) };
}

function holderIn(mac: unknown): AddressHolder {
  const parsed = typeof mac === 'string' ? parseMac(mac) : undefined;
  return parsed === undefined ? {} : { mac: parsed };
}

/** The agents that wait for orders, each on its machine. */
export interface AgentTrials {
  connected(): Iterable<string>;
  isConnected(agentId: string): boolean;
  /** Resolves with undefined if the agent does not answer in time, or is not connected. Never rejects. */
  run(agentId: string, trial: NetworkTrial): Promise<NetworkTrialResult | undefined>;
}

/** The relay agents that poll the server, by name. */
export interface RelayTrials {
  isConnected(name: string): boolean;
  /** Returns the names of connected relays that have the IPv4 address in a network of their clients, at most eight. */
  near(address: string): readonly string[];
  /** As `AgentTrials.run`. */
  run(name: string, trial: NetworkTrial): Promise<NetworkTrialResult | undefined>;
}
