import { isDomainName, type ClasslessRoute } from '@tinkerbell/dhcp';
import {
  RESCUE_ANNOTATION,
  type DhcpSettings,
  type Hardware,
  type NetbootSettings as NetbootSpec,
  type NetworkInterface,
} from '@tinkerbell/resources';
import {
  isIpv4,
  parseIpv4,
  parseIpv4Network,
  parseMac,
  prefixLengthOf,
  type Ipv4,
  type Mac,
} from '@tinkerbell/wire';
import type { ReservationRefusal } from './reasons.ts';

/** The settings of one network interface of a Hardware, validated once and in the protocol's own types. */
export interface Reservation {
  readonly mac: Mac;
  readonly namespace: string;
  readonly hardwareName: string;
  /** metadata.uid. It changes when the Hardware was deleted and created again. */
  readonly hardwareUid?: string;
  /** The path in the Hardware, such as `spec.interfaces[0]`. Errors about values begin with it. */
  readonly path: string;
  /** Another server assigns the addresses. Scripts, files and proxy answers are still sent, as in upstream. */
  readonly isDhcpDisabled: boolean;
  /** When absent, the reply contains 0.0.0.0. */
  readonly address?: Ipv4;
  readonly netmask?: Ipv4;
  readonly gateway?: Ipv4;
  readonly nameServers: readonly Ipv4[];
  readonly timeServers: readonly Ipv4[];
  readonly hostName: string;
  readonly domainName: string;
  readonly leaseTimeSeconds: number;
  readonly routes: readonly ClasslessRoute[];
  readonly tftpServerName: string;
  readonly bootFileName: string;
  readonly architecture: string;
  readonly vlanId: string;
  readonly facility: string;
  /** The id that the agent will present. It is the MAC when the Hardware names none. */
  readonly agentId: string;
  readonly mayNetboot: boolean;
  /** An operator repairs the machine: it boots the in-memory OS without its agent, whether or not it may netboot or has work. */
  readonly isRescue: boolean;
  readonly ipxe: NonNullable<NetbootSpec['ipxe']>;
  readonly osie: NonNullable<NetbootSpec['osie']>;
  readonly pxelinuxConfig: string;
}

export type ReservationResult =
  | { readonly ok: true; readonly value: Reservation }
  | { readonly ok: false; readonly reason: ReservationRefusal; readonly message: string };

/**
 * Seven days. Upstream sends an unset or zero lease_time as 0, which clients regard as an expired lease. It uses seven days for
 * lease times that do not fit 32 bits.
 */
export const LEASE_TIME_SECONDS_DEFAULT = 604_800;
const LEASE_TIME_SECONDS_MAX = 0xffff_ffff;

/**
 * Returns the reservation of a MAC, from the Hardware that name it. It refuses with a reason and the field, where upstream stays
 * silent: no or several Hardware, no dhcp or netboot object, an unusable address or URL. Invalid entries of name_servers and
 * time_servers are skipped.
 */
export function reservationFor(hardware: readonly Hardware[], mac: Mac): ReservationResult {
  const [only] = hardware;
  if (only?.spec === undefined || hardware.length > 1) return uncachedReservationFor(hardware, mac);
  const last = known.get(only.spec);
  if (last?.mac === mac && isOf(last.result, only)) return last.result;
  const result = uncachedReservationFor(hardware, mac);
  known.set(only.spec, { mac, result });
  return result;
}

/** True if both versions of a Hardware give its machine the same reservation. */
export function isSameForReservation(one: Hardware, other: Hardware): boolean {
  if (one === other) return true;
  return one.spec === other.spec && isSameIdentity(identityOf(one), identityOf(other));
}

/**
 * Caches the network interface that asked last, because machines boot from one. A spec never changes: another version is another
 * object. Versions that differ only in their status share theirs, and then their reservation is the same value.
 */
const known = new WeakMap<object, { readonly mac: Mac; readonly result: ReservationResult }>();

/** A refusal has nothing of the metadata. */
function isOf(result: ReservationResult, hardware: Hardware): boolean {
  return !result.ok || isSameIdentity(result.value, identityOf(hardware));
}

/** All that a reservation has of the metadata. */
interface Identity extends Pick<Reservation, 'namespace' | 'hardwareName' | 'isRescue'> {
  readonly hardwareUid?: string | undefined;
}

function identityOf({ metadata }: Hardware): Identity {
  const { namespace, name: hardwareName, uid: hardwareUid } = metadata;
  return { namespace, hardwareName, hardwareUid, isRescue: isRescued(metadata) };
}

function isSameIdentity(one: Identity, other: Identity): boolean {
  return (
    one.hardwareName === other.hardwareName &&
    one.namespace === other.namespace &&
    one.hardwareUid === other.hardwareUid &&
    one.isRescue === other.isRescue
  );
}

function isRescued({ annotations }: Hardware['metadata']): boolean {
  return annotations?.[RESCUE_ANNOTATION] === 'true';
}

/** Like `reservationFor`, for callers that do not ask again soon: nothing is cached. */
export function uncachedReservationFor(hardware: readonly Hardware[], mac: Mac): ReservationResult {
  const [only] = hardware;
  if (only === undefined) return refused('no-hardware', `no Hardware has the MAC ${mac}`);
  if (hardware.length > 1) {
    const names = hardware.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
    return refused('several-hardware', `the MAC ${mac} is in several Hardware: ${names}`);
  }
  const interfaces = only.spec?.interfaces ?? [];
  const index = interfaces.findIndex(({ dhcp }) => parseMac(dhcp?.mac ?? '') === mac);
  const networkInterface = interfaces[index];
  if (networkInterface === undefined)
    return refused('no-hardware', `no network interface has the MAC ${mac}`);
  try {
    return {
      ok: true,
      value: readReservation({ hardware: only, networkInterface, mac, path: `spec.interfaces[${index}]` }),
    };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.reason, error.message);
    throw error;
  }
}

interface Source {
  readonly hardware: Hardware;
  readonly networkInterface: NetworkInterface;
  readonly mac: Mac;
  readonly path: string;
}

class Refusal extends Error {
  readonly reason: ReservationRefusal;

  constructor(reason: ReservationRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

function refused(reason: ReservationRefusal, message: string): ReservationResult {
  return { ok: false, reason, message };
}

function readReservation({ hardware, networkInterface, mac, path }: Source): Reservation {
  const { dhcp, netboot, disableDhcp = false } = networkInterface;
  if (dhcp === undefined || netboot === undefined) {
    throw new Refusal('no-netboot-data', `${path} needs both dhcp and netboot`);
  }
  const isRescue = isRescued(hardware.metadata);
  return {
    mac,
    namespace: hardware.metadata.namespace,
    hardwareName: hardware.metadata.name,
    ...(hardware.metadata.uid === undefined ? {} : { hardwareUid: hardware.metadata.uid }),
    path,
    isDhcpDisabled: disableDhcp,
    ...addressSettings(dhcp, path),
    ...dhcpSettings(dhcp, path),
    ...netbootSettings(netboot, path),
    ...(isRescue ? { mayNetboot: true } : {}),
    isRescue,
    facility: hardware.spec?.metadata?.facility?.facility_code ?? '',
    agentId: textOr(hardware.spec?.agentID, mac),
  };
}

function netbootSettings(netboot: NetbootSpec, path: string) {
  requireUrl('ipxe-url-invalid', `${path}.netboot.ipxe.url`, netboot.ipxe?.url);
  requireUrl('osie-url-invalid', `${path}.netboot.osie.baseURL`, netboot.osie?.baseURL);
  return {
    mayNetboot: netboot.allowPXE === true,
    ipxe: netboot.ipxe ?? {},
    osie: netboot.osie ?? {},
    pxelinuxConfig: netboot.pxelinux?.config ?? '',
  };
}

function dhcpSettings(dhcp: DhcpSettings, path: string) {
  const leaseTime = dhcp.lease_time ?? 0;
  return {
    nameServers: addressesOf(dhcp.name_servers),
    timeServers: addressesOf(dhcp.time_servers),
    hostName: dhcp.hostname ?? '',
    domainName: dhcp.domain_name ?? '',
    leaseTimeSeconds:
      leaseTime > 0 && leaseTime <= LEASE_TIME_SECONDS_MAX ? leaseTime : LEASE_TIME_SECONDS_DEFAULT,
    routes: (dhcp.classless_static_routes ?? []).map((route, index) =>
      routeOf(route, `${path}.dhcp.classless_static_routes[${index}]`),
    ),
    tftpServerName: dhcp.tftp_server_name ?? '',
    bootFileName: dhcp.boot_file_name ?? '',
    architecture: textOr(dhcp.arch, 'x86_64'),
    vlanId: dhcp.vlan_id ?? '',
  };
}

function addressSettings(
  dhcp: DhcpSettings,
  path: string,
): { address?: Ipv4; netmask?: Ipv4; gateway?: Ipv4 } {
  if (dhcp.ip === undefined) return {};
  const where = `${path}.dhcp.ip`;
  const text = { address: '', netmask: '', gateway: '', ...dhcp.ip };
  const address = parseIpv4(text.address);
  if (address === undefined) {
    const reason = text.address.includes(':') ? 'address-not-ipv4' : 'address-invalid';
    throw new Refusal(reason, `${where}.address is not an IPv4 address: "${text.address}"`);
  }
  const netmask = parseIpv4(text.netmask);
  if (netmask === undefined || prefixLengthOf(netmask) === undefined) {
    throw new Refusal('netmask-invalid', `${where}.netmask is not a dotted netmask: "${text.netmask}"`);
  }
  if (text.gateway === '') return { address, netmask };
  const gateway = parseIpv4(text.gateway);
  if (gateway === undefined) {
    throw new Refusal('gateway-invalid', `${where}.gateway is not an IPv4 address: "${text.gateway}"`);
  }
  return { address, netmask, gateway };
}

function routeOf(route: { destination_descriptor: string; router: string }, path: string): ClasslessRoute {
  const network = parseIpv4Network(route.destination_descriptor);
  const router = parseIpv4(route.router);
  if (network === undefined || router === undefined) {
    throw new Refusal('static-route-invalid', `${path}: ${route.destination_descriptor} via ${route.router}`);
  }
  return { destination: network.address, prefixLength: network.prefixLength, router };
}

/** Usually this returns the Hardware's own list, because a copy for each of many machines costs memory. */
function addressesOf(texts: readonly string[] = []): readonly Ipv4[] {
  if (texts.every(isIpv4)) return texts;
  return texts.flatMap((text) => parseIpv4(text) ?? []);
}

function requireUrl(reason: ReservationRefusal, field: string, url: string | undefined): void {
  if (url !== undefined && url !== '' && !/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+/i.test(url)) {
    throw new Refusal(reason, `${field} is not an absolute URL: ${url}`);
  }
}

function textOr(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text;
}

/** Option 119 is sent only for names that DNS can represent. */
export function domainSearchOf(reservation: Reservation): readonly string[] {
  const { domainName } = reservation;
  return domainName !== '' && isDomainName(domainName) ? [domainName] : [];
}
