import type { IpxeFeature } from '@tinkerbell/ipxe';
import { formatMac, IPV4_ANY, type Ipv4, type Mac } from '@tinkerbell/wire';
import { binaryFor } from './architecture.ts';
import type { NetbootClient } from './dhcp/client.ts';
import type { Reservation } from './dhcp/reservation.ts';
import type { NetbootSettings } from './settings.ts';

/** The file that a client loads next, and the address of the server that has it (siaddr). */
export interface BootFile {
  readonly kind: 'script' | 'binary' | 'not-allowed';
  readonly file: string;
  readonly nextServer: Ipv4;
}

/** The boot settings of a machine: a Reservation, or the settings of an unknown machine. */
export type BootTarget = Pick<Reservation, 'mac' | 'mayNetboot' | 'ipxe'>;

/** Upstream sends this file name to a machine that may not netboot, so that firmware continues with its next boot option. */
export const NOT_ALLOWED_FILE = '/netboot-not-allowed';

/** The rules are ordered. The first one that does not decline (undefined) decides. */
type BootFileRule = (
  client: NetbootClient,
  target: BootTarget,
  settings: NetbootSettings,
) => BootFile | undefined;

const rules: readonly BootFileRule[] = [script, notAllowed, httpBinary, ipxeBinary, pxeBinary];

/**
 * Returns what this client loads next. A client without a known architecture loads nothing, as does a machine that may not
 * netboot.
 */
export function bootFileFor(client: NetbootClient, target: BootTarget, settings: NetbootSettings): BootFile {
  for (const rule of rules) {
    const bootFile = rule(client, target, settings);
    if (bootFile !== undefined) return bootFile;
  }
  return NOT_ALLOWED;
}

const NOT_ALLOWED: BootFile = { kind: 'not-allowed', file: NOT_ALLOWED_FILE, nextServer: IPV4_ANY };

/**
 * Returns true when the client can run a script now. Upstream requires the user class `Tinkerbell` of its own builds. A stock
 * iPXE sends `iPXE` both as an option ROM and after it was chained, with the same options and often the same version, so the user
 * class cannot break the loop. The HTTP feature can: an iPXE that has it can load the script, and no other iPXE would do better.
 * An iPXE without it loads the server's binary once, which has HTTP, and asks again. (QEMU's BIOS option ROM is such an iPXE:
 * 1.0.0 with sub-option 0x13.)
 */
function canRunScript(client: NetbootClient, settings: NetbootSettings): boolean {
  if (client.userClass === 'tinkerbell') return true;
  if (settings.chainloading !== 'when-needed' || !client.isIpxe) return false;
  const needed: ReadonlySet<IpxeFeature> = new Set(['http', ...(settings.ipxeFeatures ?? [])]);
  return needed.isSubsetOf(client.ipxe.features);
}

/**
 * An iPXE that may not netboot still gets the script, unless upstream's behaviour is configured. The script boots the disk sooner
 * and more reliably than firmware finds it after a failed netboot.
 */
function script(client: NetbootClient, target: BootTarget, settings: NetbootSettings): BootFile | undefined {
  if (!canRunScript(client, settings)) return undefined;
  if (!target.mayNetboot && !settings.bootLocalWhenIdle) return NOT_ALLOWED;
  // A Hardware's own script never boots the disk of a machine that may not netboot, but the server's script
  // does. Beside a foreign DHCP server upstream leaves this to the script route, which chains it.
  const hasOwn = target.mayNetboot && settings.mode === 'reservation';
  const own = hasOwn ? (target.ipxe.url ?? '') : '';
  const global = settings.scriptUrl === '' ? '/no-ipxe-script-defined' : scriptUrlFor(target.mac, settings);
  const nextServer = client.protocol === 'http' ? settings.httpBinary.address : settings.tftp.address;
  return { kind: 'script', file: own === '' ? global : own, nextServer };
}

function notAllowed(
  client: NetbootClient,
  target: BootTarget,
  settings: NetbootSettings,
): BootFile | undefined {
  return !target.mayNetboot || binaryNameFor(client, target, settings) === undefined
    ? NOT_ALLOWED
    : undefined;
}

function httpBinary(
  client: NetbootClient,
  target: BootTarget,
  settings: NetbootSettings,
): BootFile | undefined {
  if (client.protocol !== 'http') return undefined;
  const file = settings.httpBinary.url + pathOf(client, target, settings);
  return { kind: 'binary', file, nextServer: settings.httpBinary.address };
}

/** iPXE accepts a URL, which can contain a port and the MAC. */
function ipxeBinary(
  client: NetbootClient,
  target: BootTarget,
  settings: NetbootSettings,
): BootFile | undefined {
  if (!client.isIpxe) return undefined;
  const { address, port } = settings.tftp;
  const file = `tftp://${address}:${port}/${pathOf(client, target, settings)}`;
  return { kind: 'binary', file, nextServer: address };
}

function pxeBinary(client: NetbootClient, target: BootTarget, settings: NetbootSettings): BootFile {
  const file = binaryNameFor(client, target, settings) ?? '';
  return { kind: 'binary', file, nextServer: settings.tftp.address };
}

function pathOf(client: NetbootClient, target: BootTarget, settings: NetbootSettings): string {
  return `${formatMac(target.mac, settings.macFormat)}/${binaryNameFor(client, target, settings) ?? ''}`;
}

/**
 * Returns the binary named by the Hardware, or else the binary of the architecture. Returns undefined when neither names one, or
 * when the server does not have the file.
 */
export function binaryNameFor(
  client: NetbootClient,
  target: BootTarget,
  settings: NetbootSettings,
): string | undefined {
  const name = wantedBinary(client, target, settings);
  if (name === undefined) return undefined;
  const protocol = client.protocol === 'http' ? 'http' : 'tftp';
  return settings.lacksBinary?.(name, protocol) === true ? undefined : name;
}

function wantedBinary(
  { architecture }: NetbootClient,
  { ipxe }: Pick<BootTarget, 'ipxe'>,
  { architectureOverrides }: Pick<NetbootSettings, 'architectureOverrides'>,
): string | undefined {
  const own = ipxe.binary ?? '';
  return own === '' ? binaryFor(architecture, architectureOverrides) : own;
}

/** Returns the reason why `binaryNameFor` is undefined, for people. */
export function whyNoBinary(
  client: NetbootClient,
  target: Pick<BootTarget, 'ipxe'>,
  settings: Pick<NetbootSettings, 'architectureOverrides'>,
): string {
  const name = wantedBinary(client, target, settings);
  return name === undefined
    ? `no boot file is known for architecture ${client.architecture}`
    : `this server has no boot file ${name}`;
}

/** Returns the script's URL with the MAC (always with colons) before its last path element. */
export function scriptUrlFor(
  mac: Mac,
  settings: Pick<NetbootSettings, 'scriptUrl' | 'scriptUrlHasMac'>,
): string {
  if (!settings.scriptUrlHasMac) return settings.scriptUrl;
  const lastSlash = settings.scriptUrl.lastIndexOf('/');
  return `${settings.scriptUrl.slice(0, lastSlash)}/${mac}${settings.scriptUrl.slice(lastSlash)}`;
}
