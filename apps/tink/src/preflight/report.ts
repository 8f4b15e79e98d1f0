/** Formats a preflight as text and as JSON. */
import { printable } from '../output/printable.ts';
import { alignedText } from '../output/table-text.ts';
import { serversIn, type Boot, type FoundServer } from './boot-server.ts';
import { findingsFor, prefixOf, type Finding } from './finding.ts';
import { adviceFor, type ModeAdvice } from './mode-advice.ts';
import type { LocalNetworkInterface, Observation } from './observation.ts';
import { probeNames } from './probe.ts';

export interface PreflightReport {
  readonly networkInterface: LocalNetworkInterface;
  readonly servers: readonly FoundServer[];
  readonly findings: readonly Finding[];
  readonly advice: ModeAdvice;
  readonly notTested: readonly string[];
}

export function reportOf(observation: Observation): PreflightReport {
  const findings = findingsFor(observation);
  return {
    networkInterface: observation.networkInterface,
    servers: serversIn(observation),
    findings,
    advice: adviceFor(observation, findings),
    notTested: [
      'whether full-size packets reach the machines: only the MTU of this machine was read',
      'servers that answer only known machines: use --mac with the MAC of one',
      'other VLANs, and filters of switches (DHCP snooping drops replies from untrusted ports)',
      ...(observation.ipv6.dhcpServers === undefined
        ? ['DHCPv6: no IPv6 address on this network interface, or UDP 546 is in use']
        : []),
    ],
  };
}

/** True for a problem that breaks booting. */
export function isBroken({ findings }: PreflightReport): boolean {
  return findings.some(({ level }) => level === 'problem');
}

export function reportText(report: PreflightReport): string {
  const { servers, findings, notTested } = report;
  const parts = [
    headline(report.networkInterface),
    ...servers.map((server) => `\n${serverText(server)}`),
    `\n${alignedText(findings.flatMap(findingLines))}`,
    `\n${adviceText(report.advice)}`,
    `\nNot tested:\n${notTested.map((text) => `  - ${text}\n`).join('')}`,
  ];
  return parts.join('');
}

function headline({ name, mac, addresses, gateway, mtuBytes }: LocalNetworkInterface): string {
  const own = addresses.map(({ address, netmask }) => `${address}/${prefixOf(netmask)}`).join(', ');
  return `${name}: ${own || 'no address'}, gateway ${gateway ?? 'none'}, MAC ${mac}, MTU ${mtuBytes}\n`;
}

function serverText({ address, macs, isTinkerbell, offer, boots }: FoundServer): string {
  const roles = [
    ...(isTinkerbell ? ['Tinkerbell'] : []),
    ...(offer === undefined ? [] : ['assigns addresses']),
    ...(boots.length === 0 ? [] : ['boots machines']),
  ];
  const rows: string[][] = [];
  if (offer !== undefined) {
    const { subnet, gateways, nameServers, leaseSeconds, domainName } = offer;
    rows.push(['offers', `${offer.address}${subnet === undefined ? ' without netmask' : ` of ${subnet}`}`]);
    rows.push(['gateway', gateways.join(', ') || 'none'], ['DNS', nameServers.join(', ') || 'none']);
    if (domainName !== undefined) rows.push(['domain', domainName]);
    rows.push(['lease', leaseSeconds === undefined ? 'unknown' : `${leaseSeconds} s`]);
  }
  for (const boot of boots) rows.push([kindName(boot), bootText(boot)]);
  const lines = alignedText(rows.map((row) => ['', ...row.map(printable)]));
  return `${printable(address)} (${macs.join(', ')}): ${roles.join(', ')}\n${lines}`;
}

function kindName({ to }: Boot): string {
  return to === 'overheard' ? 'to another machine' : probeNames[to];
}

function bootText({ file, nextServer, vendorClass, vendorOptions }: Boot): string {
  return [
    file ?? 'no file',
    ...(nextServer === undefined ? [] : [`from ${nextServer}`]),
    ...(vendorClass === undefined ? [] : [`as ${vendorClass}`]),
    ...(vendorOptions.length === 0 ? [] : [`vendor options ${vendorOptions.join(', ')}`]),
  ].join(', ');
}

function findingLines({ level, text, advice }: Finding): string[][] {
  return [[level, printable(text)], ...(advice === undefined ? [] : [['', `  -> ${printable(advice)}`]])];
}

function adviceText(advice: ModeAdvice): string {
  if (advice.mode === 'none') {
    return `Do not start a server here yet:\n${advice.reasons.map((text) => `  - ${printable(text)}\n`).join('')}`;
  }
  return `Advice: ${advice.mode} mode. ${printable(advice.reason)}\n\n  tinkerbell ${advice.flags.join(' ')}\n`;
}
