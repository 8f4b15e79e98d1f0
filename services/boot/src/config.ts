import type { UnknownMachines } from '@tinkerbell/enrollment';
import type { HookScriptSettings, NetbootSettings } from '@tinkerbell/netboot';
import type {
  AddressProbe,
  BootTokenMint,
  Clock,
  Files,
  HttpClient,
  LinkLayer,
  Log,
  OpenOwnedDirectory,
  RouterDiscovery,
  Udp,
  Tracer,
  Udp6,
} from '@tinkerbell/platform-contract';
import type { Journal, LeaseBook, View } from '@tinkerbell/store-contract';
import type { TransferLimits } from '@tinkerbell/tftp';
import type { IpNetwork } from '@tinkerbell/wire';
import type { AllowedSources } from './iso/address-policy.ts';

export interface BootDeps {
  readonly udp: Udp;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  readonly view: View;
  readonly journal: Journal;
  /** Remembers who asks to boot and is not registered; absent: nobody does. */
  readonly unknownMachines?: Pick<UnknownMachines, 'see'>;
  /** Absent: nobody collects traces. */
  readonly tracer?: Tracer;
  /** Both are needed when `netboot.pools` has any. */
  readonly leases?: LeaseBook;
  readonly probe?: AddressProbe;
  /** Absent: kernel arguments have no boot token. */
  readonly bootTokens?: BootTokenMint;
  /** Absent: other servers are noticed only by clients that choose them. */
  readonly linkLayer?: LinkLayer;
  /** Needed for `dhcpv6`. */
  readonly udp6?: Udp6;
  /** Needed for `routerAdvertisements`. */
  readonly routerDiscovery?: RouterDiscovery;
  /** Both are needed for `iso`. */
  readonly httpClient?: HttpClient;
  readonly openDirectory?: OpenOwnedDirectory;
}

/** What the service does and says. The words in brackets are upstream's flags. */
export interface BootConfig {
  readonly netboot: NetbootSettings;
  readonly hook: HookScriptSettings;
  /** Absent: no DHCP (dhcp-enabled). */
  readonly dhcp?: DhcpConfig;
  /** Absent: no DHCPv6. Upstream has none. */
  readonly dhcpv6?: Dhcpv6Config;
  /** Absent: none. For networks without an IPv6 router only, where an iPXE waits for one (ipv6-router-advertisements, our own). */
  readonly routerAdvertisements?: RouterAdvertisementConfig;
  /** Absent: no TFTP (tftp-server-enabled). */
  readonly tftp?: TftpConfig;
  /** Absent: no syslog receiver (syslog-enabled). */
  readonly syslog?: SyslogConfig;
  /** Holds undionly.kpxe, ipxe.efi, snp-arm64.efi and whatever else `netboot` may name; one flat directory. */
  readonly ipxeDirectory: string;
  /** Holds kernel and initrd of the in-memory OS, for boot loaders that load them by TFTP; absent: they cannot. */
  readonly hookDirectory?: string;
  /** May hold the operator's own `hook.ipxe`, which is then served in place of ours; so may the hook directory. */
  readonly imagesDirectory?: string;
  /** Replaces the placeholder in binaries that have one; empty leaves them alone (ipxe-embedded-script-patch). */
  readonly ipxePatch: string;
  /** Whose X-Forwarded-For is believed when a script is asked for without a MAC (trusted-proxies). */
  readonly trustedProxies: readonly IpNetwork[];
  /** ipxe-http-binary-enabled and ipxe-http-script-enabled. */
  readonly routes: { readonly binary: boolean; readonly script: boolean };
  /** Serves what TFTP has by HTTP too, below this path (pxe-http-enabled and its prefix, `/tftp/`); absent: not. */
  readonly pxeHttpPrefix?: string;
  /** Absent: no ISO images (iso-enabled). */
  readonly iso?: IsoConfig;
}

export interface DhcpConfig {
  /** One socket each (dhcp-bind-interface); empty: all network interfaces share one. */
  readonly networkInterfaces: readonly string[];
  /** dhcp-bind-addr. */
  readonly address: string;
  /** 67, but in tests. In the proxy modes 4011 is listened on beside it. */
  readonly port: number;
}

export interface Dhcpv6Config {
  /** One socket each, on port 547. */
  readonly networkInterfaces: readonly string[];
  /** URL of the iPXE binaries at an IPv6 address, ending in a slash; absent: replies name no binary. */
  readonly httpBinaryV6Url?: string;
  /** URL of the script at an IPv6 address; absent: replies name no script. */
  readonly scriptV6Url?: string;
}

export interface RouterAdvertisementConfig {
  readonly networkInterfaces: readonly string[];
  /** True: hosts are told to ask DHCPv6 for everything but addresses; only where it answers. */
  readonly hasDhcpv6: boolean;
}

export interface SyslogConfig {
  /** syslog-bind-addr. */
  readonly address: string;
  /** 514, but in tests (syslog-bind-port). */
  readonly port: number;
}

export interface IsoConfig {
  /** Image of the machines whose Hardware names none (iso-upstream-url); absent: our own. */
  readonly upstreamUrl?: string;
  /** Holds our own images, `hook-<architecture>.iso`. */
  readonly ownDirectory: string;
  /** What is replaced by the kernel arguments (iso-patch-magic-string). ASCII. */
  readonly magic: string;
  /** Machines get their address from the image (iso-static-ipam-enabled). */
  readonly staticIpam: boolean;
  readonly allowed: AllowedSources;
  /** For images of URLs; made when the first one is asked for. */
  readonly cacheDirectory: string;
  readonly cacheBytesMax: number;
}

export interface TftpConfig {
  readonly address: string;
  /** 0 lets the platform choose. */
  readonly port: number;
  /** All transfers from the server's port, which passes NAT; else a port for each (tftp-single-port). */
  readonly singlePort: boolean;
  /** Without a largest block size it follows the MTU of the network interface the client is beside. */
  readonly limits: Omit<TransferLimits, 'blockSizeBytesMax'> & { readonly blockSizeBytesMax?: number };
  readonly transfersMax: number;
  readonly transfersPerClientMax: number;
  /** Further files, below this directory (tftp-asset-dir). */
  readonly assetDirectory?: string;
}

/**
 * A site of ten thousand machines powered on at once has a transfer each; a client has one, two when it probes sizes. More
 * from one address is a NAT with machines behind it, a thousand of them.
 */
export const defaultTftpCaps = { transfersMax: 16_384, transfersPerClientMax: 2_048 } as const;
