import type { Hardware, NetworkInterface } from '@tinkerbell/resources';
import { parseIpv6, parseMac, type Ipv6, type Mac } from '@tinkerbell/wire';
import type { ReservationRefusal } from '../dhcp/reasons.ts';
import { reservationFor, type Reservation } from '../dhcp/reservation.ts';

/** The settings of a network interface for DHCPv6. */
export interface V6Reservation {
  /** The settings that do not depend on the protocol. */
  readonly common: Reservation;
  /** Absent when the Hardware has no IPv6 address. Then none is assigned. */
  readonly address?: Ipv6;
  /** The IPv6 addresses among the Hardware's. */
  readonly nameServers: readonly Ipv6[];
}

export type V6ReservationResult =
  | { readonly ok: true; readonly value: V6Reservation }
  | { readonly ok: false; readonly reason: ReservationRefusal; readonly message: string };

/** Works as `reservationFor`, for a Hardware whose `dhcp.ip` may be of either family. */
export function v6ReservationFor(hardware: readonly Hardware[], mac: Mac): V6ReservationResult {
  const networkInterface = hardware
    .flatMap(({ spec }) => spec?.interfaces ?? [])
    .find(({ dhcp }) => parseMac(dhcp?.mac ?? '') === mac);
  const common = reservationFor(hardware.map(withoutV6Address), mac);
  if (!common.ok) return common;
  const text = networkInterface?.dhcp?.ip?.address ?? '';
  const nameServers = (networkInterface?.dhcp?.name_servers ?? []).flatMap((each) => parseIpv6(each) ?? []);
  if (!isV6(text)) return { ok: true, value: { common: common.value, nameServers } };
  const address = parseIpv6(text);
  if (address === undefined) {
    const message = `${common.value.path}.dhcp.ip.address is not an IPv6 address: "${text}"`;
    return { ok: false, reason: 'address-invalid', message };
  }
  return { ok: true, value: { common: common.value, address, nameServers } };
}

function withoutV6Address(hardware: Hardware): Hardware {
  const interfaces = hardware.spec?.interfaces?.map(withoutV6);
  return interfaces === undefined ? hardware : { ...hardware, spec: { ...hardware.spec, interfaces } };
}

function withoutV6(networkInterface: NetworkInterface): NetworkInterface {
  if (networkInterface.dhcp === undefined || !isV6(networkInterface.dhcp.ip?.address ?? ''))
    return networkInterface;
  const { ip: _, ...dhcp } = networkInterface.dhcp;
  return { ...networkInterface, dhcp };
}

function isV6(address: string): boolean {
  return address.includes(':');
}
