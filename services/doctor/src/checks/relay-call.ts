/** What a relay sends with each call, and the result that its answer means. A relay is not trusted to be right or short. */
import { isInNetwork, type AddressInNetwork } from '@tinkerbell/diagnosis';
import { trialResult, type NetworkTrial, type NetworkTrialResult } from '@tinkerbell/platform-contract';
import { isRecord } from '@tinkerbell/resources';
import { parseIpv4 } from '@tinkerbell/wire';

/** A relay has a few interfaces. */
const NETWORKS_MAX = 16;
/** As many as a relay is asked at once. */
const ANSWERS_MAX = 8;

export interface RelayCall {
  /** The relay's own address in each network of its clients. */
  readonly networks: readonly AddressInNetwork[];
  /** Of earlier orders. */
  readonly answers: readonly RelayAnswer[];
}

export interface RelayAnswer {
  readonly id: string;
  /** Unread: `resultOf` takes what was asked for. */
  readonly ports: readonly unknown[];
  readonly holders: readonly unknown[];
}

/** Returns the call in the body, or what is wrong with it. */
export function relayCallIn(body: unknown): RelayCall | string {
  const { networks, answers = [] } = isRecord(body) ? body : {};
  if (!Array.isArray(networks) || networks.length === 0 || networks.length > NETWORKS_MAX)
    return `networks must be a list of 1 to ${NETWORKS_MAX} {"address", "netmask"}`;
  if (!networks.every(isNetwork)) return 'networks must have IPv4 addresses as "address" and "netmask"';
  if (!Array.isArray(answers) || answers.length > ANSWERS_MAX || !answers.every(isAnswer))
    return `answers must be a list of at most ${ANSWERS_MAX} {"id", "ports", "holders"}`;
  return { networks: networks.map(({ address, netmask }) => ({ address, netmask })), answers };
}

function isNetwork(value: unknown): value is AddressInNetwork {
  if (!isRecord(value)) return false;
  return [value['address'], value['netmask']].every((one) => parseIpv4(String(one)) !== undefined);
}

function isAnswer(value: unknown): value is RelayAnswer {
  if (!isRecord(value)) return false;
  const { id, ports, holders } = value;
  return typeof id === 'string' && Array.isArray(ports) && Array.isArray(holders);
}

export function hasNetworkOf({ networks }: Pick<RelayCall, 'networks'>, address: string): boolean {
  return networks.some((network) => isInNetwork(address, network));
}

export function resultOf({ ports, holders }: RelayAnswer, trial: NetworkTrial): NetworkTrialResult {
  const answer = { ports: ports.filter(isRecord), holders: holders.filter(isRecord) };
  return trialResult(answer, trial, 'the relay has not tried it');
}
