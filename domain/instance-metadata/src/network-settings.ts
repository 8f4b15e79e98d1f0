import type { DhcpSettings } from '@tinkerbell/resources';
import {
  formatIpAddress,
  ipNetworkContains,
  parseIpAddress,
  parseIpv4,
  parseIpv4Network,
  prefixLengthOf,
  type IpAddress,
  type IpNetwork,
} from '@tinkerbell/wire';

/** The settings that a device of any kind can have in a network configuration of version 2. */
export interface NetworkSettings {
  readonly dhcp4?: boolean;
  readonly addresses?: readonly string[];
  readonly routes?: readonly Route[];
  readonly nameservers?: { readonly addresses?: readonly string[]; readonly search?: readonly string[] };
}

interface Route {
  readonly to: string;
  readonly via: string;
  /** The router is reachable although it is outside the network of the address. */
  readonly 'on-link'?: boolean;
  readonly metric?: number;
}

/**
 * Returns the fixed address of a network interface and its settings. Returns undefined without a valid
 * address and netmask. Invalid entries are skipped. The default route is `0.0.0.0/0`, because `default` is
 * unknown to the cloud-init of older distributions.
 */
export function networkSettingsOf(dhcp: DhcpSettings): NetworkSettings | undefined {
  const address = parseIpAddress(dhcp.ip?.address ?? '');
  if (address === undefined) return undefined;
  const prefixLength = prefixLengthFor(address, dhcp.ip?.netmask ?? '');
  if (prefixLength === undefined) return undefined;
  const routes = routesOf(dhcp, { address, prefixLength });
  return {
    addresses: [`${formatIpAddress(address)}/${prefixLength}`],
    ...(routes.length === 0 ? {} : { routes }),
    ...nameserversOf(dhcp),
  };
}

/** Merges the settings of devices that become one: each entry once, and the first gateway of a family. */
export function mergeSettings(one: NetworkSettings, other: NetworkSettings): NetworkSettings {
  const addresses = union(one.addresses, other.addresses);
  const known = one.routes ?? [];
  const added = (other.routes ?? []).filter((route) => !known.some(({ to }) => to === route.to));
  const routes = [...known, ...added];
  const servers = union(one.nameservers?.addresses, other.nameservers?.addresses);
  const search = union(one.nameservers?.search, other.nameservers?.search);
  return {
    addresses,
    ...(routes.length === 0 ? {} : { routes }),
    ...nameserverSettings(servers, search),
  };
}

function union(one: readonly string[] = [], other: readonly string[] = []): readonly string[] {
  return [...new Set([...one, ...other])];
}

/** Reads a dotted netmask. For IPv6 it also reads a prefix length, as in `64`. */
function prefixLengthFor(address: IpAddress, netmask: string): number | undefined {
  if (address.bits === 32) {
    const mask = parseIpv4(netmask);
    return mask === undefined ? undefined : prefixLengthOf(mask);
  }
  if (/^\d{1,3}$/.test(netmask) && Number(netmask) <= 128) return Number(netmask);
  const mask = parseIpAddress(netmask);
  const ones = /^(1*)0*$/.exec(mask?.bits === 128 ? mask.value.toString(2).padStart(128, '0') : 'none');
  return ones?.[1]?.length;
}

/** Omits the gateway when the static routes have a default route, as DHCP clients do (RFC 3442). */
function routesOf(dhcp: DhcpSettings, network: IpNetwork): readonly Route[] {
  const routes = (dhcp.classless_static_routes ?? []).flatMap(({ destination_descriptor, router }) => {
    const destination = parseIpv4Network(destination_descriptor);
    const via = parseIpAddress(router);
    if (destination === undefined || via === undefined) return [];
    return [routeOf(`${destination.address}/${destination.prefixLength}`, via, network)];
  });
  const gateway = parseIpAddress(dhcp.ip?.gateway ?? '');
  const anywhere = network.address.bits === 32 ? '0.0.0.0/0' : '::/0';
  if (gateway?.bits !== network.address.bits || routes.some(({ to }) => to === anywhere)) return routes;
  return [routeOf(anywhere, gateway, network), ...routes];
}

function routeOf(to: string, via: IpAddress, network: IpNetwork): Route {
  return {
    to,
    via: formatIpAddress(via),
    ...(ipNetworkContains(network, via) || isLinkLocal(via) ? {} : { 'on-link': true }),
  };
}

function isLinkLocal({ bits, value }: IpAddress): boolean {
  return bits === 128 && value >> 118n === 0xfe80n >> 6n;
}

function nameserversOf(dhcp: DhcpSettings): Pick<NetworkSettings, 'nameservers'> {
  const servers = (dhcp.name_servers ?? []).flatMap((text) => {
    const address = parseIpAddress(text);
    return address === undefined ? [] : [formatIpAddress(address)];
  });
  return nameserverSettings(servers, dhcp.domain_name ? [dhcp.domain_name] : []);
}

function nameserverSettings(
  addresses: readonly string[],
  search: readonly string[],
): Pick<NetworkSettings, 'nameservers'> {
  if (addresses.length === 0 && search.length === 0) return {};
  return {
    nameservers: {
      ...(addresses.length === 0 ? {} : { addresses }),
      ...(search.length === 0 ? {} : { search }),
    },
  };
}
