import type { Hardware } from '@tinkerbell/resources';
import { parseMac, type Mac } from '@tinkerbell/wire';
import { mergeSettings, networkSettingsOf, type NetworkSettings } from './network-settings.ts';

/** cloud-init's network configuration, version 2, with the names of netplan. */
export interface NetworkConfig {
  readonly version: 2;
  readonly ethernets: Readonly<Record<string, Ethernet>>;
  readonly bonds?: Readonly<Record<string, Bond>>;
  readonly vlans?: Readonly<Record<string, Vlan>>;
}

interface Ethernet extends NetworkSettings {
  readonly match: { readonly macaddress: Mac };
  readonly 'set-name'?: string;
}

interface Bond extends NetworkSettings {
  readonly interfaces: readonly string[];
  readonly macaddress: Mac;
  readonly parameters: { readonly mode: string; readonly 'mii-monitor-interval': number };
}

interface Vlan extends NetworkSettings {
  readonly id: number;
  readonly link: string;
}

/** Modes by number, as the Linux bonding driver counts them (Documentation/networking/bonding.rst). */
const BONDING_MODES = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
] as const;

const BOND_NAME = 'bond0';
const MII_MONITOR_MS = 100;
const VLAN_ID_MAX = 4094;
const NAME_BYTES_MAX = 15;

interface Nic {
  readonly name: string;
  readonly mac: Mac;
  readonly isNamed: boolean;
  readonly vlanIds: readonly number[];
  /** Absent when the Hardware names no usable address. */
  readonly settings?: NetworkSettings;
}

/**
 * Returns the network of a machine as its Hardware describes it, or undefined when no network interface has a MAC. An address is
 * on the first VLAN of `vlan_id` where there is one, on the bond when `bonding_mode` is set and there are two network interfaces
 * or more, and otherwise on the network interface. A device without an address uses DHCP.
 */
export function networkConfigOf(hardware: Hardware): NetworkConfig | undefined {
  const nics = nicsOf(hardware);
  if (nics.length === 0) return undefined;
  const mode = BONDING_MODES[hardware.spec?.metadata?.bonding_mode ?? -1];
  return mode === undefined || nics.length < 2 ? separateConfig(nics) : bondedConfig(nics, mode);
}

function nicsOf(hardware: Hardware): readonly Nic[] {
  const nics: Nic[] = [];
  for (const { dhcp } of hardware.spec?.interfaces ?? []) {
    const mac = parseMac(dhcp?.mac ?? '');
    if (dhcp === undefined || mac === undefined || nics.some((nic) => nic.mac === mac)) continue;
    const name = nameFor(dhcp.iface_name ?? '', nics);
    const settings = networkSettingsOf(dhcp);
    nics.push({
      name,
      mac,
      isNamed: name === dhcp.iface_name,
      vlanIds: vlanIdsOf(dhcp.vlan_id ?? ''),
      ...(settings === undefined ? {} : { settings }),
    });
  }
  return nics;
}

/**
 * Returns the requested name if Linux accepts it (15 bytes, the dot is reserved for VLANs) and it is unused, else `nic0` and so
 * on.
 */
function nameFor(wanted: string, nics: readonly Nic[]): string {
  const isFree = (name: string) => name !== BOND_NAME && !nics.some((nic) => nic.name === name);
  const isPossible = wanted.length <= NAME_BYTES_MAX && /^[\w-]+$/.test(wanted);
  if (isPossible && isFree(wanted)) return wanted;
  let index = nics.length;
  while (!isFree(`nic${index}`)) index += 1;
  return `nic${index}`;
}

/** Returns the ids of `100` or `100,200`. 0 means untagged and is not an id, and neither is 4095 or above. */
function vlanIdsOf(text: string): readonly number[] {
  const ids = text.split(',').map(Number);
  return [...new Set(ids)].filter((id) => Number.isInteger(id) && id > 0 && id <= VLAN_ID_MAX);
}

function separateConfig(nics: readonly Nic[]): NetworkConfig {
  const ethernets: Record<string, Ethernet> = {};
  const vlans: Record<string, Vlan> = {};
  for (const [index, nic] of nics.entries()) {
    const settings = withMetric(nic.settings ?? DHCP, index);
    const isTagged = nic.vlanIds.length > 0;
    ethernets[nic.name] = { ...ethernetOf(nic, isTagged), ...(isTagged ? {} : settings) };
    Object.assign(vlans, vlansOn(nic.name, nic.vlanIds, settings));
  }
  return { version: 2, ethernets, ...(Object.keys(vlans).length === 0 ? {} : { vlans }) };
}

function bondedConfig(nics: readonly Nic[], mode: string): NetworkConfig {
  const addressed = nics.filter(({ settings }) => settings !== undefined);
  const first = addressed[0] ?? nics[0];
  if (first === undefined) return { version: 2, ethernets: {} };
  const merged = addressed.map(({ settings = {} }) => settings).reduce(mergeSettings, {});
  const settings = addressed.length === 0 ? DHCP : merged;
  const vlanIds = [...new Set([first, ...nics].flatMap((nic) => nic.vlanIds))];
  const bond = {
    interfaces: nics.map(({ name }) => name),
    // Otherwise systemd generates one, which switches and DHCP servers do not know.
    macaddress: first.mac,
    parameters: { mode, 'mii-monitor-interval': MII_MONITOR_MS },
    ...(vlanIds.length === 0 ? settings : {}),
  };
  return {
    version: 2,
    ethernets: Object.fromEntries(nics.map((nic) => [nic.name, ethernetOf(nic, true)])),
    bonds: { [BOND_NAME]: bond },
    ...(vlanIds.length === 0 ? {} : { vlans: vlansOn(BOND_NAME, vlanIds, settings) }),
  };
}

const DHCP: NetworkSettings = { dhcp4: true };

/**
 * Set where the Hardware names the network interface, and where a bond or VLAN uses it. cloud-init finds the
 * current name by MAC for the network interface itself, but not where another device refers to it.
 */
function ethernetOf({ name, mac, isNamed }: Nic, isMentioned: boolean): Ethernet {
  return { match: { macaddress: mac }, ...(isNamed || isMentioned ? { 'set-name': name } : {}) };
}

function vlansOn(link: string, ids: readonly number[], settings: NetworkSettings): Record<string, Vlan> {
  const vlans = ids.map((id, index) => [vlanName(link, id), { id, link, ...(index === 0 ? settings : {}) }]);
  return Object.fromEntries(vlans);
}

/** Returns `eno1.100`, with only the end of the link's name where Linux's 15 bytes are too short. */
function vlanName(link: string, id: number): string {
  const tag = `.${id}`;
  return `${link.slice(-(NAME_BYTES_MAX - tag.length))}${tag}`;
}

const METRIC_STEP = 100;

/**
 * netplan rejects two default routes with the same metric. The first network interface's route keeps the best
 * metric.
 */
function withMetric(settings: NetworkSettings, index: number): NetworkSettings {
  if (index === 0 || settings.routes === undefined) return settings;
  const routes = settings.routes.map((route) =>
    route.to.endsWith('/0') ? { ...route, metric: METRIC_STEP * (index + 1) } : route,
  );
  return { ...settings, routes };
}
