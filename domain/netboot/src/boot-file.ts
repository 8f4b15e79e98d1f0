import type { IpxeFeature } from '@tinkerbell/ipxe';
import { formatMac, type Ipv4, type Mac } from '@tinkerbell/wire';
import { binaryFor } from './architecture.ts';
import type { NetbootClient } from './dhcp/client.ts';
import type { Reservation } from './dhcp/reservation.ts';
import type { NetbootSettings } from './settings.ts';

/** What a client is told to load next, and the address of the server that has it (siaddr). */
export interface BootFile {
  readonly kind: 'script' | 'binary' | 'not-allowed';
  readonly file: string;
  readonly nextServer: Ipv4;
}

/** What a machine's own settings say about booting: a Reservation, or what an unknown machine gets. */
export type BootTarget = Pick<Reservation, 'mac' | 'mayNetboot' | 'ipxe'>;

/** What upstream names the file of a machine that may not netboot, so that firmware goes on to its next boot option. */
export const NOT_ALLOWED_FILE = '/netboot-not-allowed';

/** An ordered list: the first rule that does not decline (undefined) decides. */
type BootFileRule = (
  client: NetbootClient,
  target: BootTarget,
  settings: NetbootSettings,
) => BootFile | undefined;

const rules: readonly BootFileRule[] = [script, notAllowed, httpBinary, ipxeBinary, pxeBinary];

/** What this client loads next; without a known architecture, nothing (as a machine that may not netboot). */
export function bootFileFor(client: NetbootClient, target: BootTarget, settings: NetbootSettings): BootFile {
  for (const rule of rules) {
    const bootFile = rule(client, target, settings);
    if (bootFile !== undefined) return bootFile;
  }
  return NOT_ALLOWED;
}

const NOT_ALLOWED: BootFile = { kind: 'not-allowed', file: NOT_ALLOWED_FILE, nextServer: '0.0.0.0' as Ipv4 };

/**
 * True when the client can run a script now. Upstream asks for the user class `Tinkerbell` of its own builds. A stock
 * iPXE says `iPXE` both as an option ROM and after it was chained, with the same options and often the same version, so
 * the user class cannot break the loop. Whether it has HTTP can: with it the script can be loaded, and there is nothing
 * another iPXE could do better; without it our binary, which has HTTP, is loaded once and asks again.
 * (QEMU's BIOS option ROM is such an iPXE: 1.0.0 with sub-option 0x13.)
 */
function canRunScript(client: NetbootClient, settings: NetbootSettings): boolean {
  if (client.userClass === 'tinkerbell') return true;
  if (settings.chainloading !== 'when-needed' || !client.isIpxe) return false;
  const needed: ReadonlySet<IpxeFeature> = new Set(['http', ...(settings.ipxeFeatures ?? [])]);
  return needed.isSubsetOf(client.ipxe.features);
}

/**
 * An iPXE that may not netboot gets the script all the same (unless upstream's behaviour is asked for): it is then the one
 * that boots the disk, sooner and more reliably than firmware finds it after a failed netboot.
 */
function script(client: NetbootClient, target: BootTarget, settings: NetbootSettings): BootFile | undefined {
  if (!canRunScript(client, settings)) return undefined;
  if (!target.mayNetboot && !settings.bootLocalWhenIdle) return NOT_ALLOWED;
  // A Hardware's own script never boots the disk of a machine that may not netboot: ours does.
  // Beside a foreign DHCP server upstream leaves it to the script route, which chains it.
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

/** iPXE takes a URL, and with the URL a port and the MAC. */
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

/** The binary named by the Hardware, else by architecture; undefined when neither knows one, or when the server has no such file. */
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

/** Why `binaryNameFor` is undefined, for people. */
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

/** The script's URL, the MAC (always with colons) before its last path element. */
export function scriptUrlFor(
  mac: Mac,
  settings: Pick<NetbootSettings, 'scriptUrl' | 'scriptUrlHasMac'>,
): string {
  if (!settings.scriptUrlHasMac) return settings.scriptUrl;
  const lastSlash = settings.scriptUrl.lastIndexOf('/');
  return `${settings.scriptUrl.slice(0, lastSlash)}/${mac}${settings.scriptUrl.slice(lastSlash)}`;
}
