/** Advises a DHCP mode for the server, with the flags. */
import { networkAddress, parseIpv4 } from '@tinkerbell/wire';
import { serversIn, type FoundServer } from './boot-server.ts';
import { isBootServer, prefixOf, type Finding } from './finding.ts';
import type { Observation } from './observation.ts';

export type ModeAdvice =
  | { readonly mode: 'reservation' | 'proxy'; readonly reason: string; readonly flags: readonly string[] }
  | { readonly mode: 'none'; readonly reasons: readonly string[] };

/** Returns no mode if another server boots the machines, or a problem prevents every mode. */
export function adviceFor(observation: Observation, findings: readonly Finding[]): ModeAdvice {
  const servers = serversIn(observation);
  const ours = servers.filter(({ isTinkerbell }) => isTinkerbell);
  const reasons = [
    ...ours.map(({ address }) => `a Tinkerbell server at ${address} already serves this network`),
    ...findings.filter(({ level }) => level === 'problem').map(({ text }) => text),
  ];
  if (ours.length === 0 && observation.isTinkerbellHere)
    reasons.unshift(
      'a Tinkerbell server is already running on this machine; it does not answer unknown machines',
    );
  if (reasons.length > 0) return { mode: 'none', reasons };
  return modeFor(observation, servers);
}

function modeFor(observation: Observation, servers: readonly FoundServer[]): ModeAdvice {
  const { networkInterface, ports } = observation;
  const [own] = networkInterface.addresses;
  const where = [
    `--dhcp-bind-interface=${networkInterface.name}`,
    ...(own === undefined ? [] : [`--public-ipv4=${own.address}`]),
    ...(ports.some(({ port, holder }) => port === SYSLOG && holder !== undefined)
      ? ['--syslog-enabled=false']
      : []),
  ];
  const giving = servers.filter((server) => server.offer !== undefined && !isBootServer(server));
  if (giving.length === 0) {
    const reason = 'No DHCP server answered, so the server assigns the addresses in Hardware.';
    return { mode: 'reservation', reason, flags: where };
  }
  const who = giving.map(({ address }) => address).join(', ');
  const subnet = own === undefined ? undefined : subnetOf(own);
  return {
    mode: 'proxy',
    reason: `${who} assigns addresses, so the server adds only boot options, for machines with Hardware.`,
    flags: [
      '--dhcp-mode=proxy',
      ...where,
      ...(subnet === undefined ? [] : [`--dhcp-proxy-allow-subnet=${subnet}`]),
    ],
  };
}

const SYSLOG = 514;

function subnetOf({ address, netmask }: { address: string; netmask: string }): string | undefined {
  const [parsed, mask] = [parseIpv4(address), parseIpv4(netmask)];
  return parsed === undefined || mask === undefined
    ? undefined
    : `${networkAddress(parsed, mask)}/${prefixOf(netmask)}`;
}
