/** Orders to try something, and what a relay allows of them: the servers that it relays to, and addresses in the networks of its clients. */
import type { NetworkTrial, NetworkTrialResult, ServerPort } from '@tinkerbell/platform-contract';
import { networkAddress, parseIpv4, type Ipv4 } from '@tinkerbell/wire';

/** A server has a few ports, and a machine a few addresses. */
const ORDERS_MAX = 8;
const PORTS_MAX = 8;
const ADDRESSES_MAX = 8;
const ID_CHARACTERS_MAX = 100;
const PORT_MAX = 65_535;
const ASKS: readonly string[] = ['tcp', 'tftp', 'dhcp'];

export interface RelayOrder extends NetworkTrial {
  readonly id: string;
}

/** The relay's own address in a network of its clients. */
export interface ClientNetwork {
  readonly address: Ipv4;
  readonly netmask: Ipv4;
}

export interface RelayLimits {
  readonly servers: readonly { readonly address: Ipv4 }[];
  readonly networks: readonly ClientNetwork[];
}

export interface AllowedOrder {
  readonly trial: NetworkTrial;
  /** The own address that asks. */
  readonly from: Ipv4;
}

/** Returns the orders in an answer of the server. Leaves out what cannot be read, and what is too much. */
export function ordersIn(body: unknown): readonly RelayOrder[] {
  const { orders } = isFields(body) ? body : {};
  return Array.isArray(orders) ? orders.slice(0, ORDERS_MAX).flatMap(orderIn) : [];
}

function orderIn(value: unknown): readonly RelayOrder[] {
  if (!isFields(value)) return [];
  const { id, host, ports, addresses } = value;
  if (typeof id !== 'string' || id.length > ID_CHARACTERS_MAX || typeof host !== 'string') return [];
  if (!Array.isArray(ports) || !Array.isArray(addresses)) return [];
  const asked = ports.filter(isPort).slice(0, PORTS_MAX);
  const probed = addresses.filter((one) => typeof one === 'string').slice(0, ADDRESSES_MAX);
  return [
    { id, host, ports: asked.map(({ name, asks, port }) => ({ name, asks, port })), addresses: probed },
  ];
}

function isPort(value: unknown): value is ServerPort {
  if (!isFields(value)) return false;
  const { name, asks, port } = value;
  const isNumber = Number.isInteger(port) && Number(port) > 0 && Number(port) <= PORT_MAX;
  return typeof name === 'string' && ASKS.includes(String(asks)) && isNumber;
}

/**
 * Returns the order without addresses of other networks, and the own address from which it is tried: the one in the network of the machine.
 * Returns undefined if the order is about a server that this relay does not relay to.
 */
export function allowedIn(order: RelayOrder, { servers, networks }: RelayLimits): AllowedOrder | undefined {
  const [first] = networks;
  if (first === undefined || !servers.some(({ address }) => address === order.host)) return undefined;
  const networkOf = (text: string): ClientNetwork | undefined => {
    const address = parseIpv4(text);
    return networks.find((one) => address !== undefined && isIn(address, one));
  };
  const addresses = order.addresses.filter((one) => networkOf(one) !== undefined);
  const { address: from } = networkOf(addresses[0] ?? '') ?? first;
  return { trial: { host: order.host, ports: order.ports, addresses }, from };
}

function isIn(address: Ipv4, { address: own, netmask }: ClientNetwork): boolean {
  return networkAddress(address, netmask) === networkAddress(own, netmask);
}

/** Returns the result of an order that is not performed. */
export function refusedResult({ host, ports }: RelayOrder, { servers }: RelayLimits): NetworkTrialResult {
  const own = servers.map(({ address }) => address).join(', ');
  const reason = `it relays to ${own} (--relay-server), and not to ${host}`;
  return { ports: ports.map((port) => ({ ...port, outcome: 'untried', reason })), holders: new Map() };
}

/** Returns the answer in the form of the server. */
export function answerTo({ id }: RelayOrder, { ports, holders }: NetworkTrialResult): object {
  return { id, ports, holders: [...holders].map(([address, { mac }]) => ({ address, mac })) };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
