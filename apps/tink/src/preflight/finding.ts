/** Interprets the observations for an operator who wants to boot machines on the network. */
import { networkContains, parseIpv4, parseIpv4Network, prefixLengthOf } from '@tinkerbell/wire';
import { serversIn, type FoundServer } from './boot-server.ts';
import { serverPorts, type LocalPort, type Observation } from './observation.ts';

export interface Finding {
  /** A problem breaks booting. A warning may break it. */
  readonly level: 'ok' | 'note' | 'warning' | 'problem';
  /** Machine-readable code. */
  readonly code: string;
  readonly text: string;
  /** The fix. */
  readonly advice?: string;
}

export function findingsFor(observation: Observation): readonly Finding[] {
  const servers = serversIn(observation);
  return [
    ...aboutNetworkInterface(observation),
    ...aboutSilence(observation, servers),
    ...servers.flatMap((server) => aboutServer(server)),
    ...aboutSeveral(servers),
    ...servers.flatMap((server) => aboutSubnet(server, observation)),
    ...observation.ports.flatMap((port) => aboutPort(port, observation)),
    ...aboutIpv6(observation),
    ...aboutOthers(observation),
  ];
}

const ETHERNET_MTU = 1500;

function aboutNetworkInterface({ networkInterface }: Observation): readonly Finding[] {
  const { name, isUp, addresses, mtuBytes } = networkInterface;
  const found: Finding[] = [];
  if (!isUp)
    found.push({
      level: 'problem',
      code: 'interface-down',
      text: `${name} is down or has no cable`,
      advice: `ip link set ${name} up`,
    });
  if (addresses.length === 0) {
    const text = `${name} has no IPv4 address, so machines cannot load files from this server`;
    found.push({
      level: 'problem',
      code: 'no-address',
      text,
      advice: `ip address add ADDRESS/PREFIX dev ${name}`,
    });
  }
  if (addresses.length > 1) {
    const all = addresses.map(({ address }) => address).join(', ');
    found.push({
      level: 'note',
      code: 'several-addresses',
      text: `${name} has ${all}; the advice uses the first one`,
    });
  }
  if (mtuBytes < ETHERNET_MTU) {
    const text = `the MTU of ${name} is ${mtuBytes}, below Ethernet’s ${ETHERNET_MTU}: larger packets of firmware are lost`;
    found.push({
      level: 'warning',
      code: 'small-mtu',
      text,
      advice: `ip link set ${name} mtu ${ETHERNET_MTU}, or find out why it is lower`,
    });
  }
  return found;
}

function aboutSilence(
  { isAsked, networkInterface }: Observation,
  servers: readonly FoundServer[],
): readonly Finding[] {
  if (!isAsked) {
    const text = `no packet could be sent on ${networkInterface.name}, so the missing answers mean nothing`;
    return [{ level: 'problem', code: 'not-asked', text }];
  }
  if (servers.length > 0) return [];
  return [{ level: 'ok', code: 'no-server', text: 'no DHCP server and no PXE server answered' }];
}

/** True if the server takes any part in booting firmware. */
export function isBootServer(server: FoundServer): boolean {
  return server.boots.length > 0 || server.answersOn4011;
}

function aboutServer(server: FoundServer): readonly Finding[] {
  const { address, macs, relays, offer } = server;
  const found: Finding[] = [];
  if (server.isTinkerbell) {
    const how = offer === undefined ? 'as a proxy' : 'with addresses';
    const text = `a Tinkerbell server at ${address} already answers ${how}`;
    found.push({
      level: 'warning',
      code: 'tinkerbell-answers',
      text,
      advice: 'stop it before you start another one',
    });
  } else if (isBootServer(server)) found.push(foreignBootServer(server));
  else
    found.push({
      level: 'note',
      code: 'dhcp-server',
      text: `${address} assigns addresses and sends no boot options`,
    });
  if (relays.length > 0) {
    found.push({
      level: 'note',
      code: 'behind-relay',
      text: `${address} answers through the relay ${relays.join(', ')}`,
    });
  } else if (macs.length > 1) {
    const text = `${macs.length} hosts answer as ${address}: ${macs.join(', ')}`;
    found.push({
      level: 'problem',
      code: 'same-address-twice',
      text,
      advice: 'assign another address to one of them',
    });
  }
  if (offer !== undefined && offer.gateways.length === 0) {
    const text = `${address} sends no gateway: machines reach this network only`;
    found.push({ level: 'note', code: 'no-gateway', text });
  }
  return found;
}

function foreignBootServer({ address, boots, offer, answersOn4011 }: FoundServer): Finding {
  const files = [...new Set(boots.flatMap(({ file }) => file ?? []))];
  const what = files.length === 0 ? 'sends boot options' : `boots machines with ${files.join(', ')}`;
  const port = answersOn4011 ? ', also on UDP 4011' : '';
  return {
    level: 'problem',
    code: 'foreign-boot-server',
    text: `${address} ${what}${port}: machines would boot from the server that answers first`,
    advice:
      offer === undefined
        ? 'switch it off, or configure it to ignore your machines'
        : 'remove boot file and next server (options 43, 60, 66, 67) from its configuration',
  };
}

function aboutSeveral(servers: readonly FoundServer[]): readonly Finding[] {
  const giving = servers.filter(({ offer }) => offer !== undefined);
  const [first, ...others] = giving;
  if (first === undefined || others.length === 0) return [];
  const who = giving.map(({ address, offer }) => `${address} (${offer?.subnet ?? 'no netmask'})`).join(', ');
  const isSame = others.every(
    ({ offer }) =>
      offer?.subnet === first.offer?.subnet && String(offer?.gateways) === String(first.offer?.gateways),
  );
  const text = `${giving.length} DHCP servers assign addresses: ${who}`;
  return isSame
    ? [
        {
          level: 'warning',
          code: 'several-dhcp-servers',
          text,
          advice: 'ignore this if they share their leases; otherwise switch one off',
        },
      ]
    : [
        {
          level: 'problem',
          code: 'conflicting-dhcp-servers',
          text: `${text}; their networks differ`,
          advice: 'switch one off',
        },
      ];
}

function aboutSubnet({ address, offer }: FoundServer, observation: Observation): readonly Finding[] {
  const { addresses, name } = observation.networkInterface;
  const network = offer?.subnet === undefined ? undefined : parseIpv4Network(offer.subnet);
  if (offer === undefined || network === undefined || addresses.length === 0) return [];
  const isInside = addresses.some((own) => {
    const parsed = parseIpv4(own.address);
    return parsed !== undefined && networkContains(network, parsed);
  });
  if (isInside) return [];
  const own = addresses.map((one) => `${one.address}/${prefixOf(one.netmask)}`).join(', ');
  const text = `${address} assigns addresses of ${offer.subnet}, but ${name} has ${own}`;
  const advice =
    offer.gateways.length > 0
      ? `check that ${offer.gateways.join(', ')} routes between them, or assign ${name} an address of ${offer.subnet}`
      : `assign ${name} an address of ${offer.subnet}`;
  return [{ level: 'warning', code: 'other-subnet', text, advice }];
}

export function prefixOf(netmask: string): number | undefined {
  const mask = parseIpv4(netmask);
  return mask === undefined ? undefined : prefixLengthOf(mask);
}

function aboutPort(
  { protocol, port, holder }: LocalPort,
  { isTinkerbellHere }: Observation,
): readonly Finding[] {
  if (holder === undefined) return [];
  const known = serverPorts.find((one) => one.port === port && one.protocol === protocol);
  const text = `${protocol.toUpperCase()} ${port} (${known?.use ?? ''}) is in use on this machine by ${holder}`;
  if (isTinkerbellHere) return [{ level: 'note', code: 'port-of-tinkerbell', text }];
  const advice = known?.flag === undefined ? `stop it` : `stop it, or use ${known.flag}`;
  return [{ level: known?.use === 'syslog' ? 'warning' : 'problem', code: 'port-in-use', text, advice }];
}

function aboutIpv6({ ipv6 }: Observation): readonly Finding[] {
  const found: Finding[] = [];
  if (ipv6.routers.length > 0)
    found.push({ level: 'note', code: 'ipv6-router', text: `IPv6 routers: ${ipv6.routers.join(', ')}` });
  for (const address of ipv6.dhcpServers ?? [])
    found.push({ level: 'note', code: 'dhcpv6-server', text: `${address} answers DHCPv6` });
  return found;
}

function aboutOthers({ requests }: Observation): readonly Finding[] {
  const relays = [
    ...new Set(requests.map(({ packet }) => packet.giaddr).filter((each) => each !== '0.0.0.0')),
  ];
  const macs = new Set(requests.map(({ fromMac }) => fromMac));
  const found: Finding[] = [];
  if (relays.length > 0) {
    const text = `relays forward requests to this network: ${relays.join(', ')}`;
    found.push({ level: 'note', code: 'relay-seen', text });
  }
  if (macs.size > 0) {
    const text = `${macs.size} machines requested addresses during the check`;
    found.push({ level: 'note', code: 'clients-seen', text });
  }
  return found;
}
